"""Who may do what: PINs, throttling, logins."""

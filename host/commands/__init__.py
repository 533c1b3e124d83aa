"""The subcommands of `felt`, one module each."""

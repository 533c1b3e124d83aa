"""Looking through a log: finding rounds, what the host noticed, and text; and taking it elsewhere."""

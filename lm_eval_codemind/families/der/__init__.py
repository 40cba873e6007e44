"""DER: reasoning about programs that the model wrote."""

"""What tasks with the prompts of other authors share: the texts come from upstream's files, when data is built."""

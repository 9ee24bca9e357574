"""The command line: one verb a file. Whatever is dear to import is imported inside the verb."""

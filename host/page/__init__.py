"""The live page: the table as it stands for everybody, and the console for staff who have logged in."""

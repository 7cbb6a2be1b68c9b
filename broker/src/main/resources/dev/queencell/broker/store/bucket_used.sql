-- Whether there is anything in a slot; looks at one row.
SELECT EXISTS (SELECT FROM queen.%s_%d)

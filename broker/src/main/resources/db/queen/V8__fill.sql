-- How full pages are made, for rows that many commits update in place. A checkpoint updates all rows of a page
-- at once, so that half of it has to be free: at 70 a quarter of its updates and more went to other pages, and to
-- the indexes with them. A cursor's rows are updated a few at a time, and what they leave is taken again at once:
-- at 80 more than 99 of 100 updates stay in their page, as at 30, which made the table twice the size.
ALTER TABLE partitions SET (fillfactor = 50);
ALTER TABLE cursors SET (fillfactor = 80);

SELECT o.epoch, o.holder, o.url, coalesce(l.deadline > now(), false) AS live
FROM queen.owner o
LEFT JOIN queen.owner_liveness l ON l.epoch = o.epoch

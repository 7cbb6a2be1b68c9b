SELECT epoch, holder, url, deadline > now() AS live FROM queen.owner

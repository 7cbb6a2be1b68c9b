-- Lets a standby take over at once after a graceful stop.
SELECT set_config('application_name', 'queencell-owner', false)

-- What is due at once is due at once: the column has milliseconds, and a time rounded up to the next one was not due yet when whoever waits for
-- it was woken.
ALTER TABLE webhook_entrega ALTER COLUMN due_at SET DEFAULT date_trunc('milliseconds', now());
ALTER TABLE correo ALTER COLUMN due_at SET DEFAULT date_trunc('milliseconds', now());

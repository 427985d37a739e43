-- The trace that a solicitud was accepted in (W3C Trace Context), as its caller named it or the API began it: its steps go on with it, days later.
ALTER TABLE solicitud ADD COLUMN traceparent text CHECK (length(traceparent) = 55);

-- A month whose last reading is in question: the SAT left out CFDI that it gave before, or no earlier reading agrees. 0: it is not; else one more
-- than the readings that were spent on confirming it. In the phase FIN nobody asks again.
ALTER TABLE tramo ADD COLUMN por_confirmar smallint NOT NULL DEFAULT 0 CHECK (por_confirmar >= 0);

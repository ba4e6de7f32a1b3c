// Functions that admit devices where all relays agree: a revoked certificate or a banned account gets no fence.

export const serialFunctions = `
  -- Whose device it is, and the serial that its newest connection has shown. Unknown where an older relay has let it in.
  ALTER TABLE device ADD COLUMN account integer, ADD COLUMN serial bigint;
  CREATE INDEX device_account ON device (account);

  -- A device's newest connection, unless it is revoked or banned: then generation is null. Whoever revokes or bans has the
  -- account's lock for itself, so that it comes before this, which sees it, or behind, where it ends what was let in here.
  CREATE FUNCTION claim_device_of(claimed text, of text, shown bigint, told text)
  RETURNS TABLE (generation bigint, serial bigint, is_banned boolean) LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT num INTO owner FROM account WHERE id = of;
    PERFORM pg_advisory_xact_lock_shared(6, owner);
    SELECT a.serial, a.banned_ms IS NOT NULL INTO serial, is_banned FROM account a WHERE a.num = owner;
    IF is_banned OR serial > shown THEN RETURN NEXT; RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(claimed, 1));
    INSERT INTO device AS d (key, generation, account, serial) VALUES (claimed, 1, owner, shown)
      ON CONFLICT (key) DO UPDATE SET generation = d.generation + 1, account = owner, serial = shown
      RETURNING d.generation INTO generation;
    IF generation > 1 THEN
      PERFORM pg_notify('postern_relay', 'device-claimed ' || told || ' ' || claimed || ' ' || generation);
    END IF;
    RETURN NEXT;
  END $$;

  -- Of what the account's devices have under way all is settled, and nothing comes behind it: of those below a serial, or of
  -- all. In the order in which batches lock them, and before any row that batches lock as well.
  CREATE FUNCTION end_devices(owner integer, below bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(k)
      FROM (SELECT hashtextextended(key, 1) AS k FROM device
            WHERE account = owner AND (below IS NULL OR serial < below) ORDER BY k) ordered;
    UPDATE device SET generation = generation + 1 WHERE account = owner AND (below IS NULL OR serial < below);
  END $$;
`

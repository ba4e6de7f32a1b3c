// Certificates with a higher serial, in batches: after a renewal of many accounts, all their devices come with one.

export const raiseFunctions = `
  -- The highest serial that was seen of each account, and nothing of the devices below it is accepted from then on. The locks
  -- are those of claim_devices. Unless it waits, an account that somebody else has locked is busy, and so is one whose
  -- devices have something in flight: it must not hold up the others.
  --
  -- A relay is notified if it listens and may hold such a device; see claim_devices. This relay counts as one: whoever has
  -- shown the certificate may be gone before its relay learns that it counts.
  CREATE FUNCTION raise_serials(accounts text[], shown bigint[], by_relay text, waits boolean)
  RETURNS TABLE (serial bigint, is_busy boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    owner integer;
    is_held boolean;
    is_heard boolean;
  BEGIN
    FOR n IN 1 .. cardinality(accounts) LOOP
      owner := (SELECT a.num FROM account a WHERE a.id = accounts[n] AND a.deleted_ms IS NULL);
      IF waits THEN
        PERFORM pg_advisory_xact_lock(6, owner);
        is_held := true;
      ELSE
        is_held := coalesce(pg_try_advisory_xact_lock(6, owner), true);
      END IF;
      serial := (SELECT a.serial FROM account a WHERE a.num = owner);
      IF is_held AND NOT waits AND serial < shown[n] THEN
        is_held := (SELECT coalesce(bool_and(pg_try_advisory_xact_lock(hashtextextended(d.key, 1))), true)
          FROM device d WHERE d.account = owner AND d.serial < shown[n]);
      END IF;
      is_busy := NOT is_held;
      IF is_held AND serial < shown[n] THEN
        is_heard := EXISTS (SELECT 1 FROM device d WHERE d.account IS NULL) OR EXISTS (
          SELECT 1 FROM device d WHERE d.account = owner AND d.serial < shown[n]
            AND (d.relay IS NULL OR d.relay = by_relay OR NOT pg_try_advisory_xact_lock(9, hashtext(d.relay))));
        PERFORM end_devices(owner, shown[n]);
        UPDATE account SET serial = shown[n] WHERE num = owner;
        serial := shown[n];
        IF is_heard THEN
          PERFORM pg_notify('postern_relay', 'serial-raised ' || by_relay || ' ' || accounts[n] || ' ' || serial);
        END IF;
      END IF;
      RETURN NEXT;
    END LOOP;
  END $$;
`

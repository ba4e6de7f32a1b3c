// Devices claimed in batches, and which relay holds each of them:
// another relay is notified only if it may hold the device.

export const claimFunctions = `
  -- The relay that has let in the newest connection. Unknown where an older relay has let it in.
  ALTER TABLE device ADD COLUMN relay text;

  -- For relays of the versions before.
  CREATE OR REPLACE FUNCTION claim_device(claimed text, told text) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE given bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(claimed, 1));
    INSERT INTO device (key, generation) VALUES (claimed, 1)
      ON CONFLICT (key) DO UPDATE SET generation = device.generation + 1, relay = NULL RETURNING generation INTO given;
    IF given > 1 THEN
      PERFORM pg_notify('postern_relay', 'device-claimed ' || told || ' ' || claimed || ' ' || given);
    END IF;
    RETURN given;
  END $$;
  CREATE OR REPLACE FUNCTION claim_device_of(claimed text, of text, shown bigint, told text)
  RETURNS TABLE (generation bigint, serial bigint, is_banned boolean) LANGUAGE plpgsql AS $$
  DECLARE owner integer;
  BEGIN
    SELECT num INTO owner FROM account WHERE id = of;
    PERFORM pg_advisory_xact_lock_shared(6, owner);
    SELECT a.serial, a.banned_ms IS NOT NULL INTO serial, is_banned FROM account a WHERE a.num = owner;
    IF is_banned OR serial > shown THEN RETURN NEXT; RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(claimed, 1));
    INSERT INTO device AS d (key, generation, account, serial) VALUES (claimed, 1, owner, shown)
      ON CONFLICT (key) DO UPDATE SET generation = d.generation + 1, account = owner, serial = shown, relay = NULL
      RETURNING d.generation INTO generation;
    IF generation > 1 THEN
      PERFORM pg_notify('postern_relay', 'device-claimed ' || told || ' ' || claimed || ' ' || generation);
    END IF;
    RETURN NEXT;
  END $$;

  -- The newest connections of many devices, each once. The locks are those of claim_device_of, in the same order.
  -- Unless it waits, a device whose older connection has something in flight is busy: it must not hold up the others.
  --
  -- A relay holds its lock shared while it listens. A lock that is free here is kept until the commit: its relay is not
  -- listening, and begins to listen behind this commit, when it reads how its devices stand. So it needs no notification.
  CREATE FUNCTION claim_devices(devices text[], accounts text[], shown bigint[], by_relay text, waits boolean)
  RETURNS TABLE (generation bigint, serial bigint, is_banned boolean, is_busy boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    owners integer[];
    held boolean[];
    silent text[];
  BEGIN
    owners := ARRAY(SELECT (SELECT a.num FROM account a WHERE a.id = c.id)
      FROM unnest(accounts) WITH ORDINALITY AS c (id, n) ORDER BY c.n);
    IF waits THEN
      PERFORM pg_advisory_xact_lock_shared(6, o)
        FROM (SELECT DISTINCT o FROM unnest(owners) o WHERE o IS NOT NULL ORDER BY o) ordered;
      PERFORM pg_advisory_xact_lock(k)
        FROM (SELECT DISTINCT hashtextextended(d, 1) AS k FROM unnest(devices) d ORDER BY k) ordered;
      held := array_fill(true, ARRAY[cardinality(devices)]);
    ELSE
      held := ARRAY(SELECT coalesce(pg_try_advisory_xact_lock_shared(6, c.owner), true)
          AND pg_try_advisory_xact_lock(hashtextextended(c.device, 1))
        FROM unnest(devices, owners) WITH ORDINALITY AS c (device, owner, n) ORDER BY c.n);
    END IF;
    silent := ARRAY(
      SELECT h.relay FROM (SELECT DISTINCT d.relay FROM device d WHERE d.key = ANY (devices) AND d.relay <> by_relay) h
      WHERE pg_try_advisory_xact_lock(9, hashtext(h.relay)));
    RETURN QUERY WITH judged AS (
        SELECT c.n, c.device, c.owner, c.serial AS shown, c.is_held, a.serial, a.banned_ms IS NOT NULL AS is_banned,
          c.is_held AND a.banned_ms IS NULL AND a.serial <= c.serial AS is_let_in
        FROM unnest(devices, owners, shown, held) WITH ORDINALITY AS c (device, owner, serial, is_held, n)
        LEFT JOIN account a ON a.num = c.owner),
      before AS (SELECT d.key, d.relay FROM device d WHERE d.key = ANY (devices)),
      given AS (
        INSERT INTO device AS d (key, generation, account, serial, relay)
        SELECT j.device, 1, j.owner, j.shown, by_relay FROM judged j WHERE j.is_let_in ORDER BY j.device
        ON CONFLICT (key) DO UPDATE SET generation = d.generation + 1, account = excluded.account,
          serial = excluded.serial, relay = excluded.relay
        RETURNING d.key, d.generation),
      told AS (
        SELECT count(pg_notify('postern_relay', 'device-claimed ' || by_relay || ' ' || g.key || ' ' || g.generation)) AS n
        FROM given g JOIN before b ON b.key = g.key
        WHERE b.relay IS NULL OR (b.relay <> by_relay AND b.relay <> ALL (silent)))
      SELECT g.generation, j.serial, j.is_banned, NOT j.is_held
      FROM judged j LEFT JOIN given g ON g.key = j.device CROSS JOIN told ORDER BY j.n;
  END $$;
`

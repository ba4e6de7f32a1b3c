// Entries for attention, subscriptions of devices at push services, and the relays' key there.

export const pushTables = `
  -- Entries for somebody's attention, as long as a push about them makes sense. No foreign key: an append pays for each.
  CREATE TABLE attention (
    entry bigint PRIMARY KEY,
    ts bigint NOT NULL,
    is_mention boolean NOT NULL,
    preview bytea
  );
  ALTER TABLE attention ALTER preview SET STORAGE EXTERNAL;

  -- serial: of the device's certificate. muted: groups, one behind the other. pushed: nothing in the mailbox up to here has to
  -- be pushed any more. away: the generation of the device's connection that was closed.
  CREATE TABLE push_subscription (
    device text PRIMARY KEY,
    account integer NOT NULL,
    serial bigint NOT NULL,
    endpoint text NOT NULL,
    p256dh bytea NOT NULL,
    auth bytea NOT NULL,
    muted bytea NOT NULL,
    pushed bigint NOT NULL,
    set_ms bigint NOT NULL,
    away bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
  CREATE INDEX push_subscription_account ON push_subscription (account, set_ms);

  -- By this key push services know all relays here, and subscriptions are bound to it.
  CREATE TABLE push_key (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    private_key bytea NOT NULL,
    public_key bytea NOT NULL
  );
`

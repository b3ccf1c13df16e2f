-- What a failover loses can be charged again. An asynchronous standby that takes over may lack the last commits of its
-- primary. Servers remember what their last leases returned, and report it on the new timeline; the rows of usage keep
-- what they began with there, so that a report counts once, however late it comes and whatever was charged meanwhile.
--
-- Transactions name their timeline in the setting catalogue.timeline. Without it, as from programs that know version 1
-- only or on databases that do not show their timeline, nothing here is done.

-- The timeline that was last counted on, and since when: one row.
CREATE TABLE catalogue.timeline (
    name   text,
    since  timestamptz NOT NULL
);
INSERT INTO catalogue.timeline VALUES (NULL, '-infinity');

-- What was charged when `timeline` began, as far as that is known.
ALTER TABLE catalogue.usage ADD COLUMN timeline text, ADD COLUMN carried bigint NOT NULL DEFAULT 0;

-- The timeline of this transaction, if it names one.
CREATE FUNCTION catalogue.here() RETURNS text LANGUAGE sql STABLE AS
$$ SELECT nullif(current_setting('catalogue.timeline', true), '') $$;

-- Fails until servers have had 2 s to report what they know on the timeline of this transaction.
CREATE FUNCTION catalogue.wait_for_reports() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM catalogue.timeline, catalogue.here()
            WHERE here IS NOT NULL AND (name <> here OR clock_timestamp() < since + interval '2 seconds')) THEN
        RAISE EXCEPTION 'another primary has taken over, and servers report what was charged' USING ERRCODE = '55P03';
    END IF;
END
$$;

-- Sets what is charged of a period, and keeps what its row began with on this timeline.
CREATE FUNCTION catalogue.set_charged(subscription_id bigint, starts bigint, new_charged bigint)
RETURNS void LANGUAGE sql AS $$
    UPDATE catalogue.usage SET charged = new_charged,
        carried = CASE WHEN here IS NULL OR here = timeline THEN carried ELSE charged END,
        timeline = coalesce(here, timeline)
    FROM catalogue.here() WHERE subscription = subscription_id AND period_start = starts
$$;

-- As in version 1, but for the timeline.
CREATE OR REPLACE FUNCTION catalogue.lease(subscription_id bigint, starts bigint, ends bigint, wanted bigint)
RETURNS TABLE (granted bigint, charged bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    before_it bigint;
    allowed bigint;
BEGIN
    PERFORM catalogue.wait_for_reports();
    PERFORM 1 FROM catalogue.subscriptions WHERE id = subscription_id;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT usage.charged INTO before_it FROM catalogue.usage
        WHERE subscription = subscription_id AND period_start = starts FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO catalogue.usage VALUES (subscription_id, starts, ends, 0) ON CONFLICT DO NOTHING;
        SELECT usage.charged INTO before_it FROM catalogue.usage
            WHERE subscription = subscription_id AND period_start = starts FOR UPDATE;
    END IF;
    SELECT quota INTO allowed FROM catalogue.subscriptions WHERE id = subscription_id;
    granted := greatest(least(wanted, allowed - before_it), 0);
    charged := before_it + granted;
    IF 0 < granted THEN
        PERFORM catalogue.set_charged(subscription_id, starts, before_it + granted);
    END IF;
    RETURN NEXT;
END
$$;

-- Takes back what was leased and not used; no row where nothing of the period is charged.
CREATE FUNCTION catalogue.give_back(subscription_id bigint, starts bigint, unused bigint)
RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    before_it bigint;
BEGIN
    PERFORM catalogue.wait_for_reports();
    SELECT charged INTO before_it FROM catalogue.usage
        WHERE subscription = subscription_id AND period_start = starts FOR UPDATE;
    IF FOUND THEN
        PERFORM catalogue.set_charged(subscription_id, starts, greatest(before_it - unused, 0));
        RETURN NEXT catalogue.here();
    END IF;
END
$$;

-- Reports what a server knows of earlier timelines, in arrays of the same length: periods of subscriptions, and what
-- was charged of each. What this timeline began without is charged again. A row for each subscription that is still
-- there: what is charged now, and how much of it again.
CREATE FUNCTION catalogue.report(ids bigint[], starts bigint[], ends bigint[], known bigint[])
RETURNS TABLE (subscription bigint, period_start bigint, charged bigint, again bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    one record;
    carried_here bigint;
BEGIN
    UPDATE catalogue.timeline SET name = catalogue.here(),
            since = CASE WHEN name IS NULL THEN since ELSE clock_timestamp() END
        WHERE catalogue.here() IS NOT NULL AND name IS DISTINCT FROM catalogue.here();
    FOR one IN SELECT * FROM unnest(ids, starts, ends, known) AS reported (id, start, finish, charged) ORDER BY id, start LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM catalogue.subscriptions WHERE id = one.id);
        INSERT INTO catalogue.usage VALUES (one.id, one.start, one.finish, 0) ON CONFLICT DO NOTHING;
        SELECT usage.charged, CASE WHEN timeline = catalogue.here() THEN carried ELSE usage.charged END
            INTO charged, carried_here FROM catalogue.usage
            WHERE usage.subscription = one.id AND usage.period_start = one.start FOR UPDATE;
        again := greatest(one.charged - carried_here, 0);
        charged := charged + again;
        UPDATE catalogue.usage SET charged = usage.charged + again, carried = carried_here + again,
                timeline = catalogue.here()
            WHERE usage.subscription = one.id AND usage.period_start = one.start;
        subscription := one.id;
        period_start := one.start;
        RETURN NEXT;
    END LOOP;
END
$$;

// The steps of a store of runs, each one statement: no instance that stops in the middle holds a lock.
//
// `runs` has a row for each run, under the hash of its ids, `parts` a row for each batch of parts, under the number of its
// last one, `threads` the number of each thread's latest run. Ids, facts and parts are JSON: a text of Postgres cannot
// have a NUL character. The channel has words such as `r7:12`: the run of id 7 has 12 parts; `s` after it for one that is to
// stop, `e` for one that has ended, and nothing at all for one that is gone. `tHASH:9` is a thread with the latest run 9.

const hash = (parameter: string) => `sha256(convert_to(${parameter}, 'UTF8'))`;
const after = (parameter: string) => `now() + ${parameter}::float8 * interval '1 millisecond'`;
const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
const TOPIC = "'r' || r.id";
const STATE = "r.last || case when r.stopped then 's' else '' end || case when r.ended then 'e' else '' end";
const RECORD = `${TOPIC} as topic, r.at, r.fence, r.last, r.facts, r.about, r.stopped, r.ended`;

/** How many words fit into a notice: 7,999 bytes. */
const WORDS = 200;
/** How many batches are read of a run at a time. */
const AT_ONCE = 100;
/** How many runs are removed at a time. */
const REMOVED = 1_000;

/** @param prefix - Begins the tables' names, and is the channel's. Letters, digits and underscores alone. */
export function statementsOf(prefix: string) {
  const [runs, parts, threads] = ["runs", "parts", "threads"].map((name) => `"${prefix}${name}"`);
  const notify = (word: string) => `pg_notify('${prefix}', ${word})`;
  const held = `r.key = ${hash("$1")} and r.fence = $2 and not r.ended`;
  const found = `from ${runs} r where r.key = ${hash("$1")}`;
  const others = (columns: string) => `(select ${columns} from ${runs} o where not o.ended`;

  return {
    listen: `listen "${prefix}"`,

    isSetUp: `select to_regclass('${parts}') is not null as is_set_up`,

    setup: `
      select pg_advisory_xact_lock(hashtext('${prefix}'));
      create table if not exists ${threads} (thread bytea primary key, at bigint not null);
      create index if not exists "${prefix}threads_at" on ${threads} (at);
      create table if not exists ${runs} (
        id bigint generated always as identity primary key,
        key bytea not null unique,
        thread bytea not null,
        at bigint not null,
        fence bigint not null,
        server text not null,
        facts text not null,
        about text not null,
        last int not null default 0,
        stopped boolean not null default false,
        ended boolean not null default false,
        until timestamptz not null
      );
      create index if not exists "${prefix}runs_thread" on ${runs} (thread, at);
      create index if not exists "${prefix}runs_until" on ${runs} (ended, until);
      create table if not exists ${parts} (
        run bigint not null references ${runs} on delete cascade,
        last int not null,
        parts text not null,
        primary key (run, last)
      );`,

    /** member, thread, facts, server, about, isAlone, ttl. Nothing is begun if another run of the thread began meanwhile. */
    begin: `
      with others as materialized ${others("o.key, o.facts, o.at")} and o.thread = ${hash("$2")}),
      busy as (select from others where $6::boolean or key = ${hash("$1")}),
      seen as materialized (select at from ${threads} where thread = ${hash("$2")}),
      counted as (
        insert into ${threads} as t (thread, at)
        select ${hash("$2")}, greatest(${NOW}, coalesce((select at from seen), 0) + 1) where not exists (select from busy)
        on conflict (thread) do update set at = excluded.at where t.at is not distinct from (select at from seen)
        returning thread, at
      ),
      replaced as (
        delete ${found} and r.ended and exists (select from counted) returning ${notify(`${TOPIC} || ':'`)}
      ),
      begun as (
        insert into ${runs} as r (key, thread, at, fence, facts, server, about, until)
        select ${hash("$1")}, thread, at, at, $3, $4, $5, ${after("$7")}
        from counted, (select count(*) from replaced) as before
        returning ${TOPIC} as topic, r.fence, ${notify("'t' || encode(r.thread, 'hex') || ':' || r.at")}
      )
      select exists (select from busy) as is_busy, array(select facts from others order by at) as before, begun.*
      from (values (1)) as one left join begun on true`,

    /** server, ttl */
    claim: `
      with free as (
        select id from ${runs} where server = $1 and not ended and until < now()
        order by until limit 1 for update skip locked
      ),
      claimed as (
        update ${runs} r set fence = greatest(${NOW}, r.fence + 1), until = ${after("$2")}
        from free where r.id = free.id returning r.*
      )
      select ${RECORD}, array(
        select facts from ${others("o.facts, o.at")} and o.thread = r.thread and o.at < r.at) as earlier order by at
      ) as before from claimed r`,

    /** milliseconds that runs are kept: removes those that are over for longer, and threads without a run. */
    clean: `
      with gone as (
        delete from ${runs} where id in (
          select id from ${runs} where ended and until < now() limit ${REMOVED} for update skip locked
        )
      )
      delete from ${threads} t where at < ${NOW} - $1::bigint
      and not exists (select from ${runs} r where r.thread = t.thread)`,

    /** member, fence, ttl */
    renew: `update ${runs} r set until = ${after("$3")} where ${held} returning id`,

    /** Lists of members, fences, how many parts, and the parts → the members that were written. */
    append: `
      with given as (
        select * from unnest($1::text[], $2::bigint[], $3::int[], $4::text[]) as g (member, fence, count, parts)
      ),
      held as (
        select r.id, g.* from given g join ${runs} r on r.key = ${hash("g.member")} and r.fence = g.fence
        where not r.ended order by r.id for update of r
      ),
      written as (
        update ${runs} r set last = r.last + h.count from held h where h.id = r.id
        returning r.id, r.fence, h.member, h.count, h.parts, r.last, ${TOPIC} || ':' || ${STATE} as word
      ),
      added as (insert into ${parts} (run, last, parts) select id, last, parts from written where count > 0),
      notices as (select word, row_number() over () / ${WORDS} as notice from written),
      sent as (select ${notify("string_agg(word, ' ')")} from notices group by notice)
      select member, fence, (select count(*) from sent) from written`,

    /** member, fence, about */
    update: `update ${runs} r set about = $3 where ${held} returning id`,

    /** member, fence, about, milliseconds that it is kept */
    end: `
      update ${runs} r set about = $3, ended = true, until = ${after("$4")} where ${held}
      returning ${notify(`${TOPIC} || ':' || ${STATE}`)}`,

    /** member */
    cancel: `
      update ${runs} r set stopped = true where r.key = ${hash("$1")} and not ended and not stopped
      returning ${notify(`${TOPIC} || ':' || ${STATE}`)}`,

    /** member, pieces of a text: those of one statement come one after the other */
    send: `
      select ${notify(`${TOPIC} || ':' || piece`)} from ${runs} r, unnest($2::text[]) with ordinality as p (piece, n)
      where r.key = ${hash("$1")} and not r.ended order by n`,

    /** member */
    remove: `delete ${found} returning ${notify(`${TOPIC} || ':'`)}`,

    /** member */
    find: `select ${RECORD} ${found}`,

    /** thread */
    list: `select ${RECORD} from ${runs} r where r.thread = ${hash("$1")} order by r.at desc`,

    /** thread, number */
    next: `select ${RECORD} from ${runs} r where r.thread = ${hash("$1")} and r.at > $2 order by r.at limit 1`,

    /** thread → its topic, its latest number, and the number before its first run under way */
    watch: `
      select 't' || encode(${hash("$1")}, 'hex') as topic, t.at as known, (
        select min(r.at) - 1 from ${runs} r where r.thread = ${hash("$1")} and not r.ended
      ) as before from (values (1)) as one left join ${threads} t on t.thread = ${hash("$1")}`,

    /** A list of topics → their states. */
    states: `
      select ${TOPIC} as topic, ${STATE} as state from ${runs} r
      where r.id = any (select substr(topic, 2)::bigint from unnest($1::text[]) as topic where topic like 'r%')
      union all
      select 't' || encode(t.thread, 'hex'), t.at::text from ${threads} t
      where t.thread = any (select decode(substr(topic, 2), 'hex') from unnest($1::text[]) as topic where topic like 't%')`,

    /** Lists of runs' topics and of numbers → parts after each of them, in order. */
    read: `
      select w.topic, w.after, p.last, p.parts from unnest($1::text[], $2::int[]) as w (topic, after)
      cross join lateral (
        select last, parts from ${parts} where run = substr(w.topic, 2)::bigint and last > w.after
        order by last limit ${AT_ONCE}
      ) as p order by w.topic, w.after, p.last`,
  } as const;
}

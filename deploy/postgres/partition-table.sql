-- Divides a table by hash of the workspace, or of another column of its keys:
--   psql "$DATABASE_OWNER_URL" -v ON_ERROR_STOP=1 -v table=deals -v partitions=8 -f deploy/postgres/partition-table.sql
--   psql "$DATABASE_OWNER_URL" -v ON_ERROR_STOP=1 -v table=commission_event_history -v key=rep_id -v partitions=8 \
--     -f deploy/postgres/partition-table.sql
-- It is one transaction: the table is locked while its rows are copied, and a failure changes nothing. Stop the service
-- for a large table. The definitions are those of the catalogue: columns, identity, keys, indexes, policies, grants of
-- tables and columns, triggers and dependent views.
\if :{?key}
\else
  \set key workspace_id
\endif
begin;
set local app.all_workspaces = 'on';
set local search_path = public;
select set_config('partition.table', :'table', true), set_config('partition.count', :'partitions', true),
  set_config('partition.key', :'key', true);

do $script$
declare
  name text := current_setting('partition.table');
  parts integer := current_setting('partition.count')::integer;
  key text := current_setting('partition.key');
  old regclass := format('public.%I', name)::regclass;
  parked text := name || '_before_partitions';
  columns text;
  settings text;
  identity_column text;
  before_rows text[];
  after_rows text[];
  drops text[];
  copied bigint;
  present bigint;
  statement text;
begin
  if (select relkind from pg_class where oid = old) <> 'r' then
    raise exception 'the table % is already divided', name;
  end if;
  execute format('lock table %s in access exclusive mode', old);

  select string_agg(quote_ident(attname), ', ' order by attnum), max(quote_ident(attname)) filter (where attidentity <> '')
    into columns, identity_column
    from pg_attribute where attrelid = old and attnum > 0 and not attisdropped and attgenerated = '';
  select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') into settings from pg_class where oid = old;

  -- Keys first, since foreign keys need them.
  select array_agg(text order by part, object) into before_rows from (
    select 1 as part, conname::text as object,
      format('alter table %I add constraint %I %s', name, conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = old and contype in ('p', 'u')
    union all
    select 2, i.relname, pg_get_indexdef(x.indexrelid)
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = old and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.conrelid = old)
    union all
    select 3, conname, format('alter table %I add constraint %I %s', name, conname, pg_get_constraintdef(oid))
    from pg_constraint where conrelid = old and contype = 'c'
    union all
    select 3, attname, format('alter table %I alter column %I set statistics %s', name, attname, attstattarget)
    from pg_attribute where attrelid = old and attnum > 0 and not attisdropped and attstattarget >= 0
  ) definitions;

  -- Triggers last: those of approved periods reject rows that are copied.
  select array_agg(text order by part, object) into after_rows from (
    select 1 as part, conname::text as object,
      format('alter table %s add constraint %I %s', case when conrelid = old then quote_ident(name) else conrelid::regclass::text end,
        conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where contype = 'f' and (conrelid = old or confrelid = old) and conparentid = 0
    union all
    select 2, '1', format('alter table %I enable row level security', name) from pg_class where oid = old and relrowsecurity
    union all
    select 2, '2', format('alter table %I force row level security', name) from pg_class where oid = old and relforcerowsecurity
    union all
    select 3, polname, format('create policy %I on %I as %s for %s to %s%s%s', polname, name,
      case when polpermissive then 'permissive' else 'restrictive' end,
      case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      (select string_agg(case when r = 0 then 'public' else r::regrole::text end, ', ') from unnest(polroles) r),
      ' using (' || pg_get_expr(polqual, polrelid) || ')', ' with check (' || pg_get_expr(polwithcheck, polrelid) || ')')
    from pg_policy where polrelid = old
    union all
    select 4, '', format('revoke all on %I from public', name)
    union all
    select 5, a.privilege_type, format('grant %s on %I to %s%s', a.privilege_type, name,
      case when a.grantee = 0 then 'public' else a.grantee::regrole::text end, case when a.is_grantable then ' with grant option' else '' end)
    from pg_class c, aclexplode(c.relacl) a where c.oid = old and a.grantee <> c.relowner
    union all
    select 6, c.attname || a.privilege_type, format('grant %s (%I) on %I to %s', a.privilege_type, c.attname, name,
      case when a.grantee = 0 then 'public' else a.grantee::regrole::text end)
    from pg_attribute c, aclexplode(c.attacl) a where c.attrelid = old and not c.attisdropped
    union all
    select 7, v.name, v.text from (
      select distinct c.relname::text as name, format('create view %I%s as %s', c.relname,
        coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''), pg_get_viewdef(c.oid)) as text
      from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class c on c.oid = w.ev_class
      where d.refobjid = old and d.classid = 'pg_rewrite'::regclass and c.relkind = 'v'
    ) v
    union all
    select distinct 8, c.relname || a.privilege_type, format('grant %s on %I to %s', a.privilege_type, c.relname, a.grantee::regrole)
    from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class c on c.oid = w.ev_class, aclexplode(c.relacl) a
    where d.refobjid = old and d.classid = 'pg_rewrite'::regclass and c.relkind = 'v' and a.grantee not in (0, c.relowner)
    union all
    select 9, tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = old and not tgisinternal
  ) definitions;

  select array_agg(text) into drops from (
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text
    from pg_constraint where contype = 'f' and (conrelid = old or confrelid = old)
    union all
    select distinct format('drop view %I', c.relname)
    from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class c on c.oid = w.ev_class
    where d.refobjid = old and d.classid = 'pg_rewrite'::regclass and c.relkind = 'v'
    union all
    select format('alter index %s rename to %I', x.indexrelid::regclass, 'old_' || md5(i.relname))
    from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = old
  ) definitions;
  foreach statement in array coalesce(drops, '{}') loop
    execute statement;
  end loop;
  execute format('alter table %I rename to %I', name, parked);

  execute format('create table %I (like %I including defaults including identity including generated including storage
    including comments) partition by hash (%I)', name, parked, key);
  -- One schema for each number, so that the keys of a partition have the names by which the service recognises them.
  for part in 0 .. parts - 1 loop
    execute format('create schema if not exists %I', 'partition_' || part);
    execute format('create table %I.%I partition of %I for values with (modulus %s, remainder %s)%s',
      'partition_' || part, name, name, parts, part, settings);
  end loop;
  execute format('insert into %I (%s) overriding system value select %s from %I', name, columns, columns, parked);
  get diagnostics copied = row_count;
  foreach statement in array before_rows || after_rows loop
    execute statement;
  end loop;
  if identity_column is not null then
    execute format('select setval(pg_get_serial_sequence(%L, %L), s.last_value, s.is_called) from %s s', name, identity_column,
      pg_get_serial_sequence(parked, identity_column));
  end if;
  execute format('select count(*) from %I', parked) into present;
  if present <> copied then
    raise exception 'the table has % rows, and % were copied', present, copied;
  end if;
  execute format('drop table %I', parked);
  execute format('analyze %I', name);
  raise notice '% rows of % are in % partitions', copied, name, parts;
end $script$;
commit;

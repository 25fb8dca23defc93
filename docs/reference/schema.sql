-- The schema that the migrations create. `npm run schema` generates this file; do not edit it.

CREATE TABLE workspaces (
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  currency text NOT NULL,
  timezone text NOT NULL DEFAULT 'UTC'::text,
  tier text NOT NULL DEFAULT 'free'::text,
  seats integer,
  is_demo boolean NOT NULL DEFAULT false,
  is_sandbox boolean NOT NULL DEFAULT false,
  test_day date,
  field_mapping jsonb NOT NULL DEFAULT '{"measures": {}, "standard": {}}'::jsonb,
  person_fields jsonb NOT NULL DEFAULT '[]'::jsonb,
  assignment_filters jsonb NOT NULL DEFAULT '[]'::jsonb,
  manager_scope text NOT NULL DEFAULT 'workspace'::text,
  block_approval_on_dispute boolean NOT NULL DEFAULT true,
  approval_steps jsonb,
  signers_reminded_on date,
  adjustment_limits jsonb,
  agent_writes text,
  step_up_minutes integer,
  paper text,
  payroll jsonb NOT NULL DEFAULT '{}'::jsonb,
  min_quota_percent numeric(9,6) NOT NULL DEFAULT 25,
  payouts jsonb,
  recovery_percent numeric(9,6),
  fx_max_age_days integer DEFAULT 45,
  currency_fields text[] NOT NULL DEFAULT '{}'::text[],
  pay_fx jsonb,
  accounting jsonb,
  periodic_through date,
  sends_events boolean NOT NULL DEFAULT false,
  writes_back boolean NOT NULL DEFAULT false,
  digest_of date,
  configuration_revision uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  rep_digest jsonb,
  corrections_found jsonb,
  CONSTRAINT workspaces_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT workspaces_agent_writes_check CHECK ((agent_writes = ANY (ARRAY['allow'::text, 'confirm'::text, 'deny'::text]))),
  CONSTRAINT workspaces_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT workspaces_fx_max_age_days_check CHECK (((fx_max_age_days >= 0) AND (fx_max_age_days <= 3660))),
  CONSTRAINT workspaces_manager_scope_check CHECK ((manager_scope = ANY (ARRAY['workspace'::text, 'reports'::text]))),
  CONSTRAINT workspaces_min_quota_percent_check CHECK (((min_quota_percent >= (1)::numeric) AND (min_quota_percent <= (100)::numeric))),
  CONSTRAINT workspaces_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT workspaces_paper_check CHECK ((paper = ANY (ARRAY['A4'::text, 'Letter'::text]))),
  CONSTRAINT workspaces_recovery_percent_check CHECK (((recovery_percent >= (0)::numeric) AND (recovery_percent <= (100)::numeric))),
  CONSTRAINT workspaces_seats_check CHECK ((seats >= 0)),
  CONSTRAINT workspaces_step_up_minutes_check CHECK (((step_up_minutes >= 1) AND (step_up_minutes <= 1440))),
  CONSTRAINT workspaces_test_day_check CHECK (((test_day IS NULL) OR is_sandbox)),
  CONSTRAINT workspaces_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'pro'::text, 'enterprise'::text])))
);
CREATE TRIGGER bump_configuration_revision BEFORE UPDATE OF currency, timezone, field_mapping, min_quota_percent, fx_max_age_days, currency_fields, test_day ON workspaces FOR EACH ROW EXECUTE FUNCTION bump_own_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER UPDATE OF name, currency, timezone, field_mapping, manager_scope, min_quota_percent, payouts, recovery_percent, fx_max_age_days, pay_fx, test_day, approval_steps ON workspaces FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON workspaces FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('', 'name', 'configuration_revision,periodic_through,sends_events,writes_back,digest_of,corrections_found');
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY workspaces_of_owner ON workspaces TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY workspaces_of_workspace ON workspaces TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON workspaces TO commissions_app;

CREATE TABLE cache_versions (
  workspace_id uuid NOT NULL,
  scope smallint NOT NULL,
  version uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT cache_versions_pkey PRIMARY KEY (workspace_id, scope)
) WITH (fillfactor=50);
ALTER TABLE cache_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY cache_versions_of_owner ON cache_versions TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY cache_versions_of_workspace ON cache_versions TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON cache_versions TO commissions_app;

CREATE TABLE database_identity (
  system_identifier bigint NOT NULL,
  CONSTRAINT database_identity_pkey PRIMARY KEY (system_identifier)
);
ALTER TABLE database_identity ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY database_identity_of_owner ON database_identity TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE reps (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  title text,
  team text,
  location text,
  fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  hire_date date,
  end_date date,
  recovery_percent numeric(9,6),
  crm_member_id text,
  crm_active boolean,
  avatar text,
  invite_status text,
  invite_mail_id uuid,
  provider text,
  payroll_id text,
  payroll_key text,
  payroll_id_changed_at timestamp with time zone,
  mail_opt_outs text[] NOT NULL DEFAULT '{}'::text[],
  saved_views jsonb NOT NULL DEFAULT '[]'::jsonb,
  synced_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT reps_pkey PRIMARY KEY (workspace_id, rep_id),
  CONSTRAINT reps_crm_member UNIQUE (workspace_id, crm_member_id),
  CONSTRAINT reps_email UNIQUE (workspace_id, email),
  CONSTRAINT reps_payroll_key UNIQUE (workspace_id, payroll_key) DEFERRABLE,
  CONSTRAINT reps_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT reps_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
  CONSTRAINT reps_employment_check CHECK ((end_date >= hire_date)),
  CONSTRAINT reps_fields_check CHECK ((jsonb_typeof(fields) = 'object'::text)),
  CONSTRAINT reps_invite_status_check CHECK ((invite_status = ANY (ARRAY['invited'::text, 'accepted'::text]))),
  CONSTRAINT reps_location_check CHECK (((length(location) >= 1) AND (length(location) <= 200))),
  CONSTRAINT reps_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT reps_payroll_id_check CHECK (((length(payroll_id) >= 1) AND (length(payroll_id) <= 50))),
  CONSTRAINT reps_recovery_percent_check CHECK (((recovery_percent >= (0)::numeric) AND (recovery_percent <= (100)::numeric))),
  CONSTRAINT reps_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'manager'::text, 'payroll'::text, 'finance'::text, 'auditor'::text, 'rep'::text]))),
  CONSTRAINT reps_team_check CHECK (((length(team) >= 1) AND (length(team) <= 200))),
  CONSTRAINT reps_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
CREATE INDEX reps_by_email ON reps USING btree (email);
CREATE INDEX reps_sharing_payroll_ids ON reps USING btree (workspace_id) WHERE ((payroll_id IS NOT NULL) AND (payroll_key IS NULL));
CREATE TRIGGER bump_configuration_revision AFTER UPDATE OF hire_date, end_date ON reps FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OF email, name, role, active, hire_date, end_date, recovery_percent OR TRUNCATE ON reps FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER end_change_requests AFTER UPDATE OF role, active ON reps FOR EACH ROW WHEN (((old.role IS DISTINCT FROM new.role) OR (old.active AND (NOT new.active)))) EXECUTE FUNCTION end_change_requests_of_person();
CREATE TRIGGER keep_person_values AFTER UPDATE OF title, team, location ON reps FOR EACH ROW WHEN ((((old.title IS DISTINCT FROM new.title) OR (old.team IS DISTINCT FROM new.team)) OR (old.location IS DISTINCT FROM new.location))) EXECUTE FUNCTION keep_person_values();
CREATE TRIGGER record_payroll_id_change BEFORE INSERT OR UPDATE OF payroll_id ON reps FOR EACH ROW EXECUTE FUNCTION record_payroll_id_change();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON reps FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id', 'email,name,avatar,payroll_id,crm_member_id,title,team,location,fields', 'synced_at,payroll_key,saved_views');
ALTER TABLE reps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY reps_of_owner ON reps TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY reps_of_workspace ON reps TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON reps TO commissions_app;

CREATE TABLE reporting_lines (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  from_day date NOT NULL,
  to_day date,
  manager_id uuid NOT NULL,
  CONSTRAINT reporting_lines_pkey PRIMARY KEY (workspace_id, rep_id, from_day),
  CONSTRAINT reporting_lines_workspace_id_manager_id_fkey FOREIGN KEY (workspace_id, manager_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT reporting_lines_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE,
  CONSTRAINT reporting_lines_check CHECK ((rep_id <> manager_id)),
  CONSTRAINT reporting_lines_check1 CHECK (((to_day IS NULL) OR (to_day >= from_day)))
);
CREATE INDEX reporting_lines_by_manager ON reporting_lines USING btree (workspace_id, manager_id);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON reporting_lines FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON reporting_lines FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON reporting_lines FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,from_day', '', '');
ALTER TABLE reporting_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY reporting_lines_of_owner ON reporting_lines TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY reporting_lines_of_workspace ON reporting_lines TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON reporting_lines TO commissions_app;

CREATE TABLE scim_users (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  external_id text,
  given_name text,
  family_name text,
  removed_at timestamp with time zone,
  CONSTRAINT scim_users_pkey PRIMARY KEY (workspace_id, rep_id),
  CONSTRAINT scim_users_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT scim_users_external_id_check CHECK ((length(external_id) <= 500)),
  CONSTRAINT scim_users_family_name_check CHECK ((length(family_name) <= 200)),
  CONSTRAINT scim_users_given_name_check CHECK ((length(given_name) <= 200))
);
CREATE INDEX scim_users_by_external_id ON scim_users USING btree (workspace_id, external_id);
ALTER TABLE scim_users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scim_users_of_owner ON scim_users TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY scim_users_of_workspace ON scim_users TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON scim_users TO commissions_app;

CREATE TABLE absences (
  workspace_id uuid NOT NULL,
  absence_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  quota_relief numeric(9,6) NOT NULL,
  variable_relief numeric(9,6) NOT NULL,
  note text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT absences_pkey PRIMARY KEY (workspace_id, absence_id),
  CONSTRAINT absences_natural UNIQUE (workspace_id, rep_id, from_day),
  CONSTRAINT absences_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT absences_check CHECK ((to_day >= from_day)),
  CONSTRAINT absences_note_check CHECK ((length(note) <= 500)),
  CONSTRAINT absences_quota_relief_check CHECK (((quota_relief >= (0)::numeric) AND (quota_relief <= (100)::numeric))),
  CONSTRAINT absences_variable_relief_check CHECK (((variable_relief >= (0)::numeric) AND (variable_relief <= (100)::numeric)))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON absences FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON absences FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON absences FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('absence_id,rep_id', 'note', '');
ALTER TABLE absences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY absences_of_owner ON absences TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY absences_of_workspace ON absences TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON absences TO commissions_app;

CREATE TABLE absence_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  absence_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  from_day date,
  to_day date,
  quota_relief numeric(9,6),
  variable_relief numeric(9,6),
  CONSTRAINT absence_history_pkey PRIMARY KEY (workspace_id, absence_id, "position"),
  CONSTRAINT absence_history_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id)
);
ALTER TABLE absence_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY absence_history_of_owner ON absence_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY absence_history_of_workspace ON absence_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON absence_history TO commissions_app;

CREATE TABLE employment_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  rep_id uuid NOT NULL,
  hire_date date,
  end_date date,
  CONSTRAINT employment_history_pkey PRIMARY KEY (workspace_id, rep_id, "position"),
  CONSTRAINT employment_history_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE,
  CONSTRAINT employment_history_check CHECK ((hire_date <= end_date))
);
ALTER TABLE employment_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY employment_history_of_owner ON employment_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY employment_history_of_workspace ON employment_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON employment_history TO commissions_app;

CREATE TABLE ramps (
  workspace_id uuid NOT NULL,
  ramp_id uuid NOT NULL,
  name text NOT NULL,
  steps jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT ramps_pkey PRIMARY KEY (workspace_id, ramp_id),
  CONSTRAINT ramps_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT ramps_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE UNIQUE INDEX ramps_by_name ON ramps USING btree (workspace_id, lower(name));
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ramps FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON ramps FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON ramps FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('ramp_id', '', '');
ALTER TABLE ramps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY ramps_of_owner ON ramps TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY ramps_of_workspace ON ramps TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON ramps TO commissions_app;

CREATE TABLE ramp_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  ramp_id uuid NOT NULL,
  name text,
  steps jsonb,
  CONSTRAINT ramp_history_pkey PRIMARY KEY (workspace_id, ramp_id, "position"),
  CONSTRAINT ramp_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT ramp_history_check CHECK (((name IS NULL) = (steps IS NULL)))
);
ALTER TABLE ramp_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY ramp_history_of_owner ON ramp_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY ramp_history_of_workspace ON ramp_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON ramp_history TO commissions_app;

CREATE TABLE rep_pay_currencies (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  from_day date NOT NULL,
  currency text,
  CONSTRAINT rep_pay_currencies_pkey PRIMARY KEY (workspace_id, rep_id, from_day),
  CONSTRAINT rep_pay_currencies_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE,
  CONSTRAINT rep_pay_currencies_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rep_pay_currencies FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON rep_pay_currencies FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,from_day', '', '');
ALTER TABLE rep_pay_currencies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rep_pay_currencies_of_owner ON rep_pay_currencies TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rep_pay_currencies_of_workspace ON rep_pay_currencies TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rep_pay_currencies TO commissions_app;

CREATE TABLE rep_pay_currency_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  rep_id uuid NOT NULL,
  from_day date NOT NULL,
  currency text,
  CONSTRAINT rep_pay_currency_history_pkey PRIMARY KEY (workspace_id, rep_id, from_day, "position"),
  CONSTRAINT rep_pay_currency_history_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE,
  CONSTRAINT rep_pay_currency_history_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);
ALTER TABLE rep_pay_currency_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rep_pay_currency_history_of_owner ON rep_pay_currency_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rep_pay_currency_history_of_workspace ON rep_pay_currency_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON rep_pay_currency_history TO commissions_app;

CREATE UNLOGGED TABLE rate_windows (
  workspace_id uuid NOT NULL,
  token_id uuid NOT NULL,
  second bigint NOT NULL,
  counts integer[] NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (workspace_id, token_id),
  CONSTRAINT rate_windows_counts_check CHECK ((cardinality(counts) = 61))
) WITH (fillfactor=40);
ALTER TABLE rate_windows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_windows_of_owner ON rate_windows TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rate_windows_of_workspace ON rate_windows TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_windows TO commissions_app;

CREATE TABLE idempotency_keys (
  workspace_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  lease_id uuid NOT NULL,
  leased_until timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  request_hash bytea,
  status smallint,
  response text,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, key_hash),
  CONSTRAINT idempotency_keys_key_hash_check CHECK ((length(key_hash) = 32))
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (workspace_id, created_at);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_of_owner ON idempotency_keys TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY idempotency_keys_of_workspace ON idempotency_keys TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_keys TO commissions_app;

CREATE TABLE limited_uses (
  workspace_id uuid NOT NULL,
  use_id uuid NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  used_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT limited_uses_pkey PRIMARY KEY (workspace_id, use_id),
  CONSTRAINT limited_uses_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
CREATE INDEX limited_uses_by_subject ON limited_uses USING btree (workspace_id, kind, subject, used_at);
ALTER TABLE limited_uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY limited_uses_of_owner ON limited_uses TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY limited_uses_of_workspace ON limited_uses TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON limited_uses TO commissions_app;

CREATE TABLE work_leases (
  workspace_id uuid NOT NULL,
  work text NOT NULL,
  lease_id uuid NOT NULL,
  generation integer NOT NULL DEFAULT 1,
  leased_until timestamp with time zone NOT NULL,
  CONSTRAINT work_leases_pkey PRIMARY KEY (workspace_id, work)
);
ALTER TABLE work_leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY work_leases_of_owner ON work_leases TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY work_leases_of_workspace ON work_leases TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON work_leases TO commissions_app;

CREATE TABLE stored_jobs (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  kind text NOT NULL,
  period text NOT NULL,
  subject jsonb NOT NULL,
  caller jsonb NOT NULL,
  status text NOT NULL DEFAULT 'waiting'::text,
  done integer NOT NULL DEFAULT 0,
  total integer NOT NULL,
  position uuid,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  lifetime interval NOT NULL,
  result jsonb,
  error_code text,
  error text,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  finished_at timestamp with time zone,
  CONSTRAINT stored_jobs_pkey PRIMARY KEY (workspace_id, job_id),
  CONSTRAINT stored_jobs_kind_check CHECK ((kind = ANY (ARRAY['approval'::text, 'books'::text, 'exceptions'::text, 'export'::text, 'generation'::text, 'handover'::text, 'preparation'::text, 'preview'::text]))),
  CONSTRAINT stored_jobs_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX stored_jobs_by_period ON stored_jobs USING btree (workspace_id, kind, period, started_at);
CREATE INDEX stored_jobs_unfinished ON stored_jobs USING btree (workspace_id, kind, not_before) WHERE (finished_at IS NULL);
CREATE TRIGGER record_row_change AFTER INSERT ON stored_jobs FOR EACH ROW WHEN (((current_setting('app.records_changes'::text, true) = 'on'::text) AND (new.kind <> ALL (ARRAY['export'::text, 'preview'::text])))) EXECUTE FUNCTION record_row_change('job_id', '', 'caller,status,done,position,attempts,not_before,lifetime');
ALTER TABLE stored_jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY stored_jobs_of_owner ON stored_jobs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY stored_jobs_of_workspace ON stored_jobs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON stored_jobs TO commissions_app;

CREATE TABLE job_items (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  position integer NOT NULL,
  rep_id text,
  version integer,
  outcome text,
  code text,
  message text,
  content jsonb,
  CONSTRAINT job_items_pkey PRIMARY KEY (workspace_id, job_id, "position"),
  CONSTRAINT job_items_workspace_id_job_id_rep_id_key UNIQUE (workspace_id, job_id, rep_id),
  CONSTRAINT job_items_workspace_id_job_id_fkey FOREIGN KEY (workspace_id, job_id) REFERENCES stored_jobs(workspace_id, job_id) ON DELETE CASCADE,
  CONSTRAINT job_items_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text])))
);
ALTER TABLE job_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY job_items_of_owner ON job_items TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY job_items_of_workspace ON job_items TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON job_items TO commissions_app;

CREATE TABLE inbound_routes (
  workspace_id uuid NOT NULL,
  source text NOT NULL,
  route text NOT NULL,
  secret bytea,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_received_at timestamp with time zone,
  last_verified_at timestamp with time zone,
  rejected integer NOT NULL DEFAULT 0,
  last_rejected_at timestamp with time zone,
  CONSTRAINT inbound_routes_pkey PRIMARY KEY (workspace_id, source, route),
  CONSTRAINT inbound_routes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT inbound_routes_route_check CHECK (((length(route) >= 1) AND (length(route) <= 500))),
  CONSTRAINT inbound_routes_source_check CHECK ((source = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text, 'billing'::text])))
);
CREATE INDEX inbound_routes_by_route ON inbound_routes USING btree (source, route);
ALTER TABLE inbound_routes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY inbound_routes_of_owner ON inbound_routes TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY inbound_routes_of_workspace ON inbound_routes TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON inbound_routes TO commissions_app;

CREATE TABLE inbox (
  workspace_id uuid NOT NULL,
  source text NOT NULL,
  message_key uuid NOT NULL,
  subject text NOT NULL,
  payload jsonb NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  processed_at timestamp with time zone,
  outcome text,
  error text,
  CONSTRAINT inbox_pkey PRIMARY KEY (workspace_id, source, message_key)
);
CREATE INDEX inbox_by_subject ON inbox USING btree (workspace_id, source, subject);
CREATE INDEX inbox_pending ON inbox USING btree (workspace_id, source, received_at) WHERE (processed_at IS NULL);
ALTER TABLE inbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY inbox_of_owner ON inbox TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY inbox_of_workspace ON inbox TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON inbox TO commissions_app;

CREATE TABLE mail_outbox (
  mail_id uuid NOT NULL,
  workspace_id uuid,
  recipient text,
  subject text NOT NULL,
  body bytea,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  sent_at timestamp with time zone,
  last_error text,
  CONSTRAINT mail_outbox_pkey PRIMARY KEY (mail_id)
);
CREATE INDEX mail_outbox_due ON mail_outbox USING btree (not_before) WHERE (sent_at IS NULL);
CREATE INDEX mail_outbox_unsent ON mail_outbox USING btree (workspace_id) WHERE (sent_at IS NULL);
ALTER TABLE mail_outbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mail_outbox_of_owner ON mail_outbox TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE webhook_endpoints (
  workspace_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  url text NOT NULL,
  description text,
  event_types text[],
  secret bytea NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  failures integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  attempted_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (workspace_id, endpoint_id),
  CONSTRAINT webhook_endpoints_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT webhook_endpoints_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
  CONSTRAINT webhook_endpoints_event_types_check CHECK ((cardinality(event_types) > 0)),
  CONSTRAINT webhook_endpoints_failures_check CHECK ((failures >= 0)),
  CONSTRAINT webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
);
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON webhook_endpoints FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('endpoint_id', 'url,description,secret', 'failures,not_before,attempted_at');
ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_endpoints_of_owner ON webhook_endpoints TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY webhook_endpoints_of_workspace ON webhook_endpoints TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_endpoints TO commissions_app;

CREATE TABLE webhook_previous_secrets (
  workspace_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  secret_id uuid NOT NULL,
  secret bytea NOT NULL,
  valid_until timestamp with time zone NOT NULL,
  CONSTRAINT webhook_previous_secrets_pkey PRIMARY KEY (workspace_id, endpoint_id, secret_id),
  CONSTRAINT webhook_previous_secrets_workspace_id_endpoint_id_fkey FOREIGN KEY (workspace_id, endpoint_id) REFERENCES webhook_endpoints(workspace_id, endpoint_id) ON DELETE CASCADE
);
ALTER TABLE webhook_previous_secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_previous_secrets_of_owner ON webhook_previous_secrets TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY webhook_previous_secrets_of_workspace ON webhook_previous_secrets TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_previous_secrets TO commissions_app;

CREATE TABLE webhook_deliveries (
  workspace_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  sequence_id uuid NOT NULL,
  event_type text NOT NULL,
  data jsonb,
  run_id uuid,
  event_ids uuid[],
  status text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  attempted_at timestamp with time zone,
  duration_ms integer,
  response_status integer,
  response_body text,
  error text,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (workspace_id, delivery_id),
  CONSTRAINT webhook_deliveries_workspace_id_endpoint_id_fkey FOREIGN KEY (workspace_id, endpoint_id) REFERENCES webhook_endpoints(workspace_id, endpoint_id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_check CHECK (((data IS NULL) = (run_id IS NOT NULL))),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries USING btree (workspace_id, endpoint_id, "position");
CREATE UNIQUE INDEX webhook_deliveries_of_run ON webhook_deliveries USING btree (workspace_id, endpoint_id, sequence_id, run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (workspace_id, endpoint_id, sequence_id, "position") WHERE (status = 'pending'::text);
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_deliveries_of_owner ON webhook_deliveries TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY webhook_deliveries_of_workspace ON webhook_deliveries TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_deliveries TO commissions_app;

CREATE TABLE agent_connections (
  workspace_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  client_id text NOT NULL,
  client_name text NOT NULL,
  audience text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT agent_connections_pkey PRIMARY KEY (workspace_id, connection_id),
  CONSTRAINT agent_connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT agent_connections_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT agent_connections_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 2000))),
  CONSTRAINT agent_connections_client_name_check CHECK (((length(client_name) >= 1) AND (length(client_name) <= 100))),
  CONSTRAINT agent_connections_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'write'::text]) AND (cardinality(scopes) > 0)))
);
CREATE INDEX agent_connections_by_rep ON agent_connections USING btree (workspace_id, rep_id);
CREATE TRIGGER end_change_requests AFTER DELETE ON agent_connections FOR EACH ROW EXECUTE FUNCTION end_change_requests_of_agent();
ALTER TABLE agent_connections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY agent_connections_of_owner ON agent_connections TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY agent_connections_of_workspace ON agent_connections TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON agent_connections TO commissions_app;

CREATE TABLE agent_grants (
  workspace_id uuid NOT NULL,
  grant_hash bytea NOT NULL,
  kind text NOT NULL,
  connection_id uuid NOT NULL,
  redirect_uri text,
  code_challenge text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT agent_grants_pkey PRIMARY KEY (workspace_id, grant_hash),
  CONSTRAINT agent_grants_workspace_id_connection_id_fkey FOREIGN KEY (workspace_id, connection_id) REFERENCES agent_connections(workspace_id, connection_id) ON DELETE CASCADE,
  CONSTRAINT agent_grants_check CHECK (((kind = 'code'::text) = (redirect_uri IS NOT NULL))),
  CONSTRAINT agent_grants_check1 CHECK (((kind = 'code'::text) = (code_challenge IS NOT NULL))),
  CONSTRAINT agent_grants_grant_hash_check CHECK ((length(grant_hash) = 32)),
  CONSTRAINT agent_grants_kind_check CHECK ((kind = ANY (ARRAY['code'::text, 'refresh'::text])))
);
CREATE INDEX agent_grants_by_connection ON agent_grants USING btree (workspace_id, connection_id);
CREATE INDEX agent_grants_by_hash ON agent_grants USING btree (grant_hash);
ALTER TABLE agent_grants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY agent_grants_of_owner ON agent_grants TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY agent_grants_of_workspace ON agent_grants TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON agent_grants TO commissions_app;

CREATE TABLE agent_clients (
  client_id text NOT NULL,
  metadata jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  used_at timestamp with time zone,
  network_hash bytea,
  CONSTRAINT agent_clients_pkey PRIMARY KEY (client_id)
);
CREATE INDEX agent_clients_by_age ON agent_clients USING btree (created_at);
CREATE INDEX agent_clients_by_network ON agent_clients USING btree (network_hash, created_at);
ALTER TABLE agent_clients ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY agent_clients_of_owner ON agent_clients TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE change_requests (
  workspace_id uuid NOT NULL,
  request_id uuid NOT NULL,
  rep_id uuid,
  connection_id uuid,
  token_id uuid,
  caller jsonb NOT NULL,
  tool text NOT NULL,
  title text NOT NULL,
  input jsonb NOT NULL,
  preview jsonb,
  basis jsonb NOT NULL,
  moves uuid[] NOT NULL DEFAULT '{}'::uuid[],
  outdated jsonb,
  status text NOT NULL,
  decided_by text,
  decided_at timestamp with time zone,
  reason text,
  ended_because text,
  outcome jsonb,
  run_id uuid,
  has_written boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT change_requests_pkey PRIMARY KEY (workspace_id, request_id),
  CONSTRAINT change_requests_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT change_requests_check CHECK (((status = 'pending'::text) = (decided_by IS NULL))),
  CONSTRAINT change_requests_check1 CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  CONSTRAINT change_requests_ended_because_check CHECK (((ended_because IS NULL) OR (ended_because = ANY (ARRAY['agent_disconnected'::text, 'key_invalid'::text, 'person_deactivated'::text, 'role_changed'::text])))),
  CONSTRAINT change_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text, 'rejected'::text])))
);
CREATE INDEX change_requests_in_order ON change_requests USING btree (workspace_id, created_at);
CREATE INDEX change_requests_pending ON change_requests USING btree (workspace_id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX change_requests_running ON change_requests USING btree (workspace_id) WHERE (status = 'running'::text);
ALTER TABLE change_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY change_requests_of_owner ON change_requests TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY change_requests_of_workspace ON change_requests TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON change_requests TO commissions_app;

CREATE TABLE tokens (
  workspace_id uuid NOT NULL,
  token_id uuid NOT NULL,
  kind text NOT NULL,
  token_hash bytea NOT NULL,
  rep_id uuid,
  label text,
  created_by uuid,
  scopes text[],
  is_agent boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  proved_at timestamp with time zone,
  connection_id uuid,
  CONSTRAINT tokens_pkey PRIMARY KEY (workspace_id, token_id),
  CONSTRAINT tokens_workspace_id_connection_id_fkey FOREIGN KEY (workspace_id, connection_id) REFERENCES agent_connections(workspace_id, connection_id) ON DELETE CASCADE,
  CONSTRAINT tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT tokens_check CHECK ((((kind = 'int'::text) = (scopes IS NOT NULL)) AND (scopes <@ ARRAY['read'::text, 'deals'::text, 'plans'::text, 'payroll'::text, 'scim'::text]) AND (cardinality(scopes) > 0))),
  CONSTRAINT tokens_check1 CHECK (((kind = 'agt'::text) = (connection_id IS NOT NULL))),
  CONSTRAINT tokens_kind_check CHECK ((kind = ANY (ARRAY['ws'::text, 'sess'::text, 'conn'::text, 'int'::text, 'agt'::text]))),
  CONSTRAINT tokens_of_agents CHECK (((NOT is_agent) OR (kind = 'int'::text))),
  CONSTRAINT tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX tokens_by_connection ON tokens USING btree (workspace_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX tokens_by_hash ON tokens USING btree (token_hash);
CREATE INDEX tokens_by_rep ON tokens USING btree (workspace_id, rep_id) WHERE (rep_id IS NOT NULL);
CREATE TRIGGER end_change_requests AFTER DELETE ON tokens FOR EACH ROW WHEN ((old.kind = ANY (ARRAY['ws'::text, 'int'::text]))) EXECUTE FUNCTION end_change_requests_of_key();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON tokens FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('token_id', 'token_hash,label', 'last_used_at');
ALTER TABLE tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tokens_of_owner ON tokens TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY tokens_of_workspace ON tokens TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON tokens TO commissions_app;

CREATE TABLE sign_in_codes (
  code_id uuid NOT NULL,
  email_hash bytea NOT NULL,
  network_hash bytea NOT NULL,
  workspace_id uuid,
  salt bytea NOT NULL,
  code_hmac bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  other_attempts integer NOT NULL DEFAULT 0,
  nonce_attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL DEFAULT (now() + '00:10:00'::interval),
  used_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT sign_in_codes_pkey PRIMARY KEY (code_id)
);
CREATE INDEX sign_in_codes_by_email ON sign_in_codes USING btree (email_hash, created_at);
ALTER TABLE sign_in_codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sign_in_codes_of_owner ON sign_in_codes TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE sign_in_failures (
  email_hash bytea NOT NULL,
  day date NOT NULL,
  failures integer NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (email_hash, day)
);
ALTER TABLE sign_in_failures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sign_in_failures_of_owner ON sign_in_failures TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE sign_in_states (
  state_hash bytea NOT NULL,
  workspace_id uuid,
  secrets bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL DEFAULT (now() + '00:10:00'::interval),
  CONSTRAINT sign_in_states_pkey PRIMARY KEY (state_hash)
);
ALTER TABLE sign_in_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sign_in_states_of_owner ON sign_in_states TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE UNLOGGED TABLE attempt_counters (
  counter_key text NOT NULL,
  window_start timestamp with time zone NOT NULL,
  attempts integer NOT NULL,
  CONSTRAINT attempt_counters_pkey PRIMARY KEY (counter_key, window_start)
);
ALTER TABLE attempt_counters ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY attempt_counters_of_owner ON attempt_counters TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE installation (
  singleton boolean NOT NULL DEFAULT true,
  operator_workspace_id uuid,
  mail_settings jsonb,
  mail_password bytea,
  CONSTRAINT installation_pkey PRIMARY KEY (singleton),
  CONSTRAINT installation_check CHECK (((mail_password IS NULL) OR (mail_settings IS NOT NULL))),
  CONSTRAINT installation_singleton_check CHECK (singleton)
);
ALTER TABLE installation ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY installation_of_owner ON installation TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE identity_providers (
  provider_id uuid NOT NULL,
  terms jsonb NOT NULL,
  client_secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT identity_providers_pkey PRIMARY KEY (provider_id)
);
ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY identity_providers_of_owner ON identity_providers TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE directory_workspaces (
  workspace uuid NOT NULL,
  shard text NOT NULL,
  is_moving boolean NOT NULL DEFAULT false,
  CONSTRAINT directory_workspaces_pkey PRIMARY KEY (workspace),
  CONSTRAINT directory_workspaces_shard_check CHECK (((length(shard) >= 1) AND (length(shard) <= 40)))
);
ALTER TABLE directory_workspaces ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY directory_workspaces_of_owner ON directory_workspaces TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE directory_keys (
  kind text NOT NULL,
  key_hash bytea NOT NULL,
  workspace uuid NOT NULL,
  noted_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT directory_keys_pkey PRIMARY KEY (kind, key_hash, workspace),
  CONSTRAINT directory_keys_key_hash_check CHECK ((length(key_hash) = 32)),
  CONSTRAINT directory_keys_kind_check CHECK ((kind = ANY (ARRAY['token'::text, 'email'::text, 'route'::text])))
);
CREATE INDEX directory_keys_by_age ON directory_keys USING btree (kind, noted_at);
CREATE INDEX directory_keys_by_workspace ON directory_keys USING btree (workspace, kind);
ALTER TABLE directory_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY directory_keys_of_owner ON directory_keys TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE plans (
  workspace_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT plans_pkey PRIMARY KEY (workspace_id, plan_id),
  CONSTRAINT plans_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT plans_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text, 'deleted'::text])))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OF status OR TRUNCATE ON plans FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plans FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON plans FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('plan_id', 'name', '');
ALTER TABLE plans ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY plans_of_owner ON plans TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY plans_of_workspace ON plans TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON plans TO commissions_app;

CREATE TABLE plan_versions (
  workspace_id uuid NOT NULL,
  plan_version_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  has_been_active boolean NOT NULL DEFAULT false,
  effective_start date,
  effective_end date,
  currency text,
  fx jsonb,
  field_mapping jsonb,
  config jsonb NOT NULL,
  deal_conditions jsonb NOT NULL,
  acceptance text NOT NULL DEFAULT 'none'::text,
  tests jsonb NOT NULL DEFAULT '[]'::jsonb,
  supersedes uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT plan_versions_pkey PRIMARY KEY (workspace_id, plan_version_id),
  CONSTRAINT plan_versions_number UNIQUE (workspace_id, plan_id, version),
  CONSTRAINT plan_versions_workspace_id_plan_id_fkey FOREIGN KEY (workspace_id, plan_id) REFERENCES plans(workspace_id, plan_id) ON DELETE CASCADE,
  CONSTRAINT plan_versions_workspace_id_supersedes_fkey FOREIGN KEY (workspace_id, supersedes) REFERENCES plan_versions(workspace_id, plan_version_id),
  CONSTRAINT plan_versions_acceptance_check CHECK ((acceptance = ANY (ARRAY['none'::text, 'required'::text, 'hold_pay'::text]))),
  CONSTRAINT plan_versions_check CHECK ((effective_end >= effective_start)),
  CONSTRAINT plan_versions_check1 CHECK ((supersedes <> plan_version_id)),
  CONSTRAINT plan_versions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT plan_versions_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text, 'deleted'::text]))),
  CONSTRAINT plan_versions_version_check CHECK ((version >= 1))
);
CREATE INDEX plan_versions_holding_pay ON plan_versions USING btree (workspace_id) WHERE (acceptance = 'hold_pay'::text);
CREATE INDEX plan_versions_superseding ON plan_versions USING btree (workspace_id, supersedes);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_versions FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_versions FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER note_active_version BEFORE INSERT OR UPDATE OF status ON plan_versions FOR EACH ROW EXECUTE FUNCTION note_active_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON plan_versions FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('plan_version_id,plan_id', '', '');
ALTER TABLE plan_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY plan_versions_of_owner ON plan_versions TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY plan_versions_of_workspace ON plan_versions TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON plan_versions TO commissions_app;

CREATE TABLE plan_rules (
  workspace_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  plan_version_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  position integer NOT NULL,
  name text NOT NULL,
  phase text NOT NULL,
  attainment_key text NOT NULL,
  attainment_period text NOT NULL,
  tier_by text NOT NULL,
  definition jsonb NOT NULL,
  CONSTRAINT plan_rules_pkey PRIMARY KEY (workspace_id, rule_id),
  CONSTRAINT plan_rules_name UNIQUE (workspace_id, plan_version_id, name),
  CONSTRAINT plan_rules_workspace_id_plan_version_id_fkey FOREIGN KEY (workspace_id, plan_version_id) REFERENCES plan_versions(workspace_id, plan_version_id) ON DELETE CASCADE,
  CONSTRAINT plan_rules_attainment_period_check CHECK ((attainment_period = ANY (ARRAY['monthly'::text, 'quarterly'::text, 'semi_annual'::text, 'annual'::text]))),
  CONSTRAINT plan_rules_phase_check CHECK ((phase = ANY (ARRAY['per_deal'::text, 'cascade'::text, 'periodic'::text]))),
  CONSTRAINT plan_rules_tier_by_check CHECK ((tier_by = ANY (ARRAY['attainment'::text, 'value'::text, 'rank'::text])))
);
CREATE INDEX plan_rules_by_plan ON plan_rules USING btree (workspace_id, plan_id);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_rules FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_rules FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE plan_rules ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY plan_rules_of_owner ON plan_rules TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY plan_rules_of_workspace ON plan_rules TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON plan_rules TO commissions_app;

CREATE TABLE plan_overrides (
  workspace_id uuid NOT NULL,
  plan_version_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  tiers jsonb NOT NULL,
  CONSTRAINT plan_overrides_pkey PRIMARY KEY (workspace_id, plan_version_id, rep_id, rule_id),
  CONSTRAINT plan_overrides_workspace_id_plan_version_id_fkey FOREIGN KEY (workspace_id, plan_version_id) REFERENCES plan_versions(workspace_id, plan_version_id) ON DELETE CASCADE,
  CONSTRAINT plan_overrides_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT plan_overrides_workspace_id_rule_id_fkey FOREIGN KEY (workspace_id, rule_id) REFERENCES plan_rules(workspace_id, rule_id) ON DELETE CASCADE
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_overrides FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON plan_overrides FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON plan_overrides FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('plan_version_id,rep_id,rule_id', '', '');
ALTER TABLE plan_overrides ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY plan_overrides_of_owner ON plan_overrides TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY plan_overrides_of_workspace ON plan_overrides TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON plan_overrides TO commissions_app;

CREATE TABLE rate_tables (
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  keys jsonb NOT NULL,
  columns jsonb NOT NULL,
  no_match text NOT NULL DEFAULT 'exception'::text,
  currency text,
  revision integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT rate_tables_pkey PRIMARY KEY (workspace_id, name),
  CONSTRAINT rate_tables_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT rate_tables_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT rate_tables_no_match_check CHECK ((no_match = ANY (ARRAY['exception'::text, 'zero'::text])))
);
CREATE UNIQUE INDEX rate_tables_name ON rate_tables USING btree (workspace_id, lower(name));
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rate_tables FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rate_tables FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON rate_tables FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('name', '', 'updated_at');
ALTER TABLE rate_tables ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_tables_of_owner ON rate_tables TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rate_tables_of_workspace ON rate_tables TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_tables TO commissions_app;

CREATE TABLE rate_table_revisions (
  workspace_id uuid NOT NULL,
  table_name text NOT NULL,
  revision integer NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  actor text NOT NULL,
  note text NOT NULL DEFAULT ''::text,
  counts jsonb NOT NULL,
  content jsonb,
  CONSTRAINT rate_table_revisions_pkey PRIMARY KEY (workspace_id, table_name, revision),
  CONSTRAINT rate_table_revisions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT rate_table_revisions_note_check CHECK ((length(note) <= 1000))
);
ALTER TABLE rate_table_revisions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_table_revisions_of_owner ON rate_table_revisions TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rate_table_revisions_of_workspace ON rate_table_revisions TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON rate_table_revisions TO commissions_app;

CREATE TABLE rate_table_rows (
  workspace_id uuid NOT NULL,
  table_name text NOT NULL,
  position integer NOT NULL,
  content jsonb NOT NULL,
  effective_start date,
  effective_end date,
  CONSTRAINT rate_table_rows_pkey PRIMARY KEY (workspace_id, table_name, "position"),
  CONSTRAINT rate_table_rows_workspace_id_table_name_fkey FOREIGN KEY (workspace_id, table_name) REFERENCES rate_tables(workspace_id, name) ON DELETE CASCADE,
  CONSTRAINT rate_table_rows_check CHECK ((effective_start <= effective_end))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rate_table_rows FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rate_table_rows FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON rate_table_rows FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('table_name,position', '', 'updated_at');
ALTER TABLE rate_table_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_table_rows_of_owner ON rate_table_rows TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rate_table_rows_of_workspace ON rate_table_rows TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_table_rows TO commissions_app;

CREATE TABLE plan_acceptances (
  workspace_id uuid NOT NULL,
  acceptance_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  plan_version_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  decision text NOT NULL,
  sha256 text NOT NULL,
  configuration_sha256 text NOT NULL,
  document jsonb NOT NULL,
  signed_name text,
  reason text,
  address text,
  decided_at timestamp with time zone NOT NULL,
  decided_on date NOT NULL,
  CONSTRAINT plan_acceptances_pkey PRIMARY KEY (workspace_id, acceptance_id),
  CONSTRAINT plan_acceptances_workspace_id_plan_id_fkey FOREIGN KEY (workspace_id, plan_id) REFERENCES plans(workspace_id, plan_id) ON DELETE CASCADE,
  CONSTRAINT plan_acceptances_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT plan_acceptances_check CHECK (((decision = 'accepted'::text) = (signed_name IS NOT NULL))),
  CONSTRAINT plan_acceptances_check1 CHECK (((decision = 'declined'::text) = (reason IS NOT NULL))),
  CONSTRAINT plan_acceptances_decision_check CHECK ((decision = ANY (ARRAY['accepted'::text, 'declined'::text]))),
  CONSTRAINT plan_acceptances_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  CONSTRAINT plan_acceptances_signed_name_check CHECK (((length(signed_name) >= 1) AND (length(signed_name) <= 200)))
);
CREATE INDEX plan_acceptances_of_plan ON plan_acceptances USING btree (workspace_id, plan_id, rep_id);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR TRUNCATE ON plan_acceptances FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT ON plan_acceptances FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('acceptance_id,rep_id,plan_id', 'signed_name,reason,address,document', '');
ALTER TABLE plan_acceptances ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY plan_acceptances_of_owner ON plan_acceptances TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY plan_acceptances_of_workspace ON plan_acceptances TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON plan_acceptances TO commissions_app;

CREATE TABLE assignments (
  workspace_id uuid NOT NULL,
  assignment_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  effective_start date,
  effective_end date,
  ramp_id uuid,
  ramp_from date,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT assignments_pkey PRIMARY KEY (workspace_id, assignment_id),
  CONSTRAINT assignments_ramp_fkey FOREIGN KEY (workspace_id, ramp_id) REFERENCES ramps(workspace_id, ramp_id),
  CONSTRAINT assignments_workspace_id_plan_id_fkey FOREIGN KEY (workspace_id, plan_id) REFERENCES plans(workspace_id, plan_id) ON DELETE CASCADE,
  CONSTRAINT assignments_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT assignments_check CHECK ((effective_end >= effective_start)),
  CONSTRAINT assignments_ramp_check CHECK (((ramp_from IS NULL) OR (ramp_id IS NOT NULL)))
);
CREATE INDEX assignments_by_plan ON assignments USING btree (workspace_id, plan_id);
CREATE INDEX assignments_by_ramp ON assignments USING btree (workspace_id, ramp_id) WHERE (ramp_id IS NOT NULL);
CREATE INDEX assignments_by_rep ON assignments USING btree (workspace_id, rep_id);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON assignments FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON assignments FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON assignments FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('assignment_id,rep_id,plan_id', '', '');
ALTER TABLE assignments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY assignments_of_owner ON assignments TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY assignments_of_workspace ON assignments TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON assignments TO commissions_app;

CREATE TABLE quotas (
  workspace_id uuid NOT NULL,
  quota_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  plan_rule_id uuid NOT NULL,
  attainment_key text NOT NULL,
  period text NOT NULL,
  target numeric(20,6) NOT NULL,
  variable_target numeric(20,6),
  prorate boolean NOT NULL DEFAULT true,
  current_value numeric NOT NULL DEFAULT 0,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT quotas_pkey PRIMARY KEY (workspace_id, quota_id),
  CONSTRAINT quotas_natural UNIQUE (workspace_id, rep_id, plan_id, attainment_key, period),
  CONSTRAINT quotas_workspace_id_plan_id_fkey FOREIGN KEY (workspace_id, plan_id) REFERENCES plans(workspace_id, plan_id) ON DELETE CASCADE,
  CONSTRAINT quotas_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT quotas_current_value_check CHECK ((current_value <> 'NaN'::numeric)),
  CONSTRAINT quotas_target_check CHECK (((target >= (0)::numeric) AND (target <> 'NaN'::numeric))),
  CONSTRAINT quotas_variable_target_check CHECK (((variable_target >= (0)::numeric) AND (variable_target <> 'NaN'::numeric)))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OF rep_id, plan_id, attainment_key, period, target, variable_target, prorate OR TRUNCATE ON quotas FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON quotas FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON quotas FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('quota_id,rep_id', '', 'current_value,updated_at');
ALTER TABLE quotas ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY quotas_of_owner ON quotas TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY quotas_of_workspace ON quotas TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON quotas TO commissions_app;

CREATE TABLE fx_rates (
  workspace_id uuid NOT NULL,
  rate_table text NOT NULL,
  from_currency text NOT NULL,
  to_currency text NOT NULL,
  day date NOT NULL,
  rate numeric(20,10) NOT NULL,
  CONSTRAINT fx_rates_pkey PRIMARY KEY (workspace_id, rate_table, from_currency, to_currency, day),
  CONSTRAINT fx_rates_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT fx_rates_check CHECK ((from_currency <> to_currency)),
  CONSTRAINT fx_rates_from_currency_check CHECK ((from_currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT fx_rates_rate_check CHECK ((rate > (0)::numeric)),
  CONSTRAINT fx_rates_rate_table_check CHECK (((length(rate_table) >= 1) AND (length(rate_table) <= 50))),
  CONSTRAINT fx_rates_to_currency_check CHECK ((to_currency ~ '^[A-Z]{3}$'::text))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON fx_rates FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON fx_rates FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON fx_rates FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rate_table,from_currency,to_currency,day', '', '');
ALTER TABLE fx_rates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fx_rates_of_owner ON fx_rates TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY fx_rates_of_workspace ON fx_rates TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON fx_rates TO commissions_app;

CREATE TABLE fx_rate_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  rate_table text NOT NULL,
  from_currency text NOT NULL,
  to_currency text NOT NULL,
  day date NOT NULL,
  rate numeric(20,10),
  CONSTRAINT fx_rate_history_pkey PRIMARY KEY (workspace_id, rate_table, from_currency, to_currency, day, "position"),
  CONSTRAINT fx_rate_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE fx_rate_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fx_rate_history_of_owner ON fx_rate_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY fx_rate_history_of_workspace ON fx_rate_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON fx_rate_history TO commissions_app;

CREATE TABLE fiscal_years (
  workspace_id uuid NOT NULL,
  year smallint NOT NULL,
  start_day date NOT NULL,
  pattern text NOT NULL,
  weeks smallint NOT NULL,
  CONSTRAINT fiscal_years_pkey PRIMARY KEY (workspace_id, year),
  CONSTRAINT fiscal_years_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT fiscal_years_pattern_check CHECK ((pattern = ANY (ARRAY['months'::text, '4-4-5'::text, '4-5-4'::text, '5-4-4'::text]))),
  CONSTRAINT fiscal_years_weeks_check CHECK ((weeks = ANY (ARRAY[52, 53]))),
  CONSTRAINT fiscal_years_year_check CHECK (((year >= 1900) AND (year <= 2199)))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON fiscal_years FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON fiscal_years FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON fiscal_years FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('year', '', '');
ALTER TABLE fiscal_years ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fiscal_years_of_owner ON fiscal_years TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY fiscal_years_of_workspace ON fiscal_years TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON fiscal_years TO commissions_app;

CREATE TABLE fiscal_year_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  years jsonb NOT NULL,
  CONSTRAINT fiscal_year_history_pkey PRIMARY KEY (workspace_id, "position"),
  CONSTRAINT fiscal_year_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE fiscal_year_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY fiscal_year_history_of_owner ON fiscal_year_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY fiscal_year_history_of_workspace ON fiscal_year_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON fiscal_year_history TO commissions_app;

CREATE TABLE deals (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  rep_id uuid,
  name text,
  amount numeric,
  currency text,
  stage text,
  close_date date,
  created_date date,
  owner_id text,
  owner_email text,
  provider text,
  is_closed boolean NOT NULL DEFAULT false,
  is_won boolean NOT NULL DEFAULT false,
  fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  given jsonb NOT NULL DEFAULT '{}'::jsonb,
  corrections jsonb,
  credits jsonb,
  content_hash uuid NOT NULL,
  source_updated_at timestamp with time zone,
  fetched_at timestamp with time zone,
  snapshot_at timestamp with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp with time zone,
  changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT deals_pkey PRIMARY KEY (workspace_id, deal_id),
  CONSTRAINT deals_amount_check CHECK (((amount <> 'NaN'::numeric) AND (abs(amount) <= '1000000000000000'::numeric))),
  CONSTRAINT deals_close_date_check CHECK (((close_date >= '1900-01-01'::date) AND (close_date <= '2199-12-31'::date))),
  CONSTRAINT deals_created_date_check CHECK (((created_date >= '1900-01-01'::date) AND (created_date <= '2199-12-31'::date))),
  CONSTRAINT deals_deal_id_check CHECK (((length(deal_id) >= 1) AND (length(deal_id) <= 200)))
);
CREATE INDEX deals_by_change ON deals USING btree (workspace_id, changed_in, deal_id) WHERE (changed_in IS NOT NULL);
CREATE INDEX deals_by_rep ON deals USING btree (workspace_id, rep_id, close_date) WHERE (rep_id IS NOT NULL);
CREATE INDEX deals_by_snapshot ON deals USING btree (workspace_id, snapshot_at DESC, deal_id) WHERE (snapshot_at > '-infinity'::timestamp with time zone);
CREATE INDEX deals_corrected ON deals USING btree (workspace_id, deal_id) WHERE (corrections IS NOT NULL);
CREATE INDEX deals_deleted ON deals USING btree (workspace_id, snapshot_at DESC, deal_id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX deals_exceeding_credits ON deals USING btree (workspace_id, deal_id) WHERE (credits ? 'exceeding'::text);
CREATE INDEX deals_without_rep ON deals USING btree (workspace_id, owner_id) WHERE (rep_id IS NULL);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON deals FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER keep_removed_rows AFTER DELETE ON deals REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_deals();
CREATE TRIGGER refresh_participations_delete AFTER DELETE ON deals FOR EACH ROW WHEN ((old.credits IS NOT NULL)) EXECUTE FUNCTION refresh_deal_participations();
CREATE TRIGGER refresh_participations_insert AFTER INSERT ON deals FOR EACH ROW WHEN ((new.credits IS NOT NULL)) EXECUTE FUNCTION refresh_deal_participations();
CREATE TRIGGER refresh_participations_update AFTER UPDATE OF credits, rep_id, close_date, deleted_at ON deals FOR EACH ROW WHEN (((new.credits IS NOT NULL) OR (old.credits IS NOT NULL))) EXECUTE FUNCTION refresh_deal_participations();
CREATE TRIGGER stamp_changed_deal BEFORE UPDATE ON deals FOR EACH ROW WHEN ((new.changed_in = old.changed_in)) EXECUTE FUNCTION stamp_changed_deal();
ALTER TABLE deals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deals_of_owner ON deals TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deals_of_workspace ON deals TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deals TO commissions_app;

CREATE TABLE deal_snapshots (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  snapshot_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  taken_at timestamp with time zone NOT NULL DEFAULT now(),
  source_updated_at timestamp with time zone,
  provider text,
  fields jsonb NOT NULL,
  given jsonb NOT NULL,
  corrections jsonb,
  deleted boolean NOT NULL DEFAULT false,
  CONSTRAINT deal_snapshots_pkey PRIMARY KEY (workspace_id, deal_id, snapshot_id)
);
ALTER TABLE deal_snapshots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_snapshots_of_owner ON deal_snapshots TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_snapshots_of_workspace ON deal_snapshots TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_snapshots TO commissions_app;

CREATE TABLE deal_tombstones (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  purged_at timestamp with time zone NOT NULL,
  CONSTRAINT deal_tombstones_pkey PRIMARY KEY (workspace_id, deal_id)
);
ALTER TABLE deal_tombstones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_tombstones_of_owner ON deal_tombstones TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_tombstones_of_workspace ON deal_tombstones TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_tombstones TO commissions_app;

CREATE TABLE owner_matches (
  workspace_id uuid NOT NULL,
  owner_key text NOT NULL,
  rep_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT owner_matches_pkey PRIMARY KEY (workspace_id, owner_key),
  CONSTRAINT owner_matches_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id)
);
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON owner_matches FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('owner_key', '', '');
ALTER TABLE owner_matches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_matches_of_owner ON owner_matches TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY owner_matches_of_workspace ON owner_matches TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON owner_matches TO commissions_app;

CREATE TABLE deal_credits (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  source text NOT NULL,
  position smallint NOT NULL,
  rep_id uuid,
  owner_id text,
  kind text NOT NULL,
  role text,
  percent numeric(10,6) NOT NULL,
  affects text NOT NULL,
  CONSTRAINT deal_credits_pkey PRIMARY KEY (workspace_id, deal_id, source, "position"),
  CONSTRAINT deal_credits_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT deal_credits_affects_check CHECK ((affects = ANY (ARRAY['both'::text, 'quota'::text, 'payout'::text]))),
  CONSTRAINT deal_credits_check CHECK (((percent > (0)::numeric) AND (percent <= (
CASE kind
    WHEN 'split'::text THEN 100
    ELSE 1000
END)::numeric))),
  CONSTRAINT deal_credits_check1 CHECK (((owner_id IS NULL) OR ((source = 'crm'::text) AND (rep_id IS NULL)))),
  CONSTRAINT deal_credits_kind_check CHECK ((kind = ANY (ARRAY['split'::text, 'overlay'::text]))),
  CONSTRAINT deal_credits_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 200))),
  CONSTRAINT deal_credits_role_check CHECK (((length(role) >= 1) AND (length(role) <= 50))),
  CONSTRAINT deal_credits_source_check CHECK ((source = ANY (ARRAY['api'::text, 'crm'::text])))
);
CREATE INDEX deal_credits_reported ON deal_credits USING btree (workspace_id) WHERE (source = 'crm'::text);
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON deal_credits FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('deal_id,source,position', '', '');
ALTER TABLE deal_credits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_credits_of_owner ON deal_credits TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_credits_of_workspace ON deal_credits TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_credits TO commissions_app;

CREATE TABLE deal_credit_history (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  credits jsonb,
  CONSTRAINT deal_credit_history_pkey PRIMARY KEY (workspace_id, deal_id, "position")
);
ALTER TABLE deal_credit_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_credit_history_of_owner ON deal_credit_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_credit_history_of_workspace ON deal_credit_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON deal_credit_history TO commissions_app;

CREATE TABLE deal_participations (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  rep_id uuid NOT NULL,
  close_date date NOT NULL,
  CONSTRAINT deal_participations_pkey PRIMARY KEY (workspace_id, deal_id, rep_id)
);
CREATE INDEX deal_participations_by_rep ON deal_participations USING btree (workspace_id, rep_id, close_date);
ALTER TABLE deal_participations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_participations_of_owner ON deal_participations TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_participations_of_workspace ON deal_participations TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_participations TO commissions_app;

CREATE TABLE credit_rules (
  workspace_id uuid NOT NULL,
  credit_rule_id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  role text,
  person_field text NOT NULL,
  percent numeric(10,6),
  percent_field text,
  conditions jsonb NOT NULL DEFAULT '[]'::jsonb,
  effective_start date,
  effective_end date,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT credit_rules_pkey PRIMARY KEY (workspace_id, credit_rule_id),
  CONSTRAINT credit_rules_name UNIQUE (workspace_id, name),
  CONSTRAINT credit_rules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT credit_rules_check CHECK (((percent > (0)::numeric) AND (percent <= (
CASE kind
    WHEN 'split'::text THEN 100
    ELSE 1000
END)::numeric))),
  CONSTRAINT credit_rules_check1 CHECK ((effective_end >= effective_start)),
  CONSTRAINT credit_rules_check2 CHECK (((percent IS NULL) <> (percent_field IS NULL))),
  CONSTRAINT credit_rules_kind_check CHECK ((kind = ANY (ARRAY['split'::text, 'overlay'::text]))),
  CONSTRAINT credit_rules_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT credit_rules_role_check CHECK (((length(role) >= 1) AND (length(role) <= 50)))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON credit_rules FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON credit_rules FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON credit_rules FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('credit_rule_id', '', '');
ALTER TABLE credit_rules ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY credit_rules_of_owner ON credit_rules TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY credit_rules_of_workspace ON credit_rules TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON credit_rules TO commissions_app;

CREATE TABLE credit_rule_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  rules jsonb NOT NULL,
  CONSTRAINT credit_rule_history_pkey PRIMARY KEY (workspace_id, "position"),
  CONSTRAINT credit_rule_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE credit_rule_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY credit_rule_history_of_owner ON credit_rule_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY credit_rule_history_of_workspace ON credit_rule_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON credit_rule_history TO commissions_app;

CREATE TABLE deal_lines (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  source text NOT NULL,
  line_id text NOT NULL DEFAULT (content ->> 'lineId'::text),
  position smallint NOT NULL,
  content jsonb NOT NULL,
  CONSTRAINT deal_lines_pkey PRIMARY KEY (workspace_id, deal_id, source, line_id),
  CONSTRAINT deal_lines_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT deal_lines_line_id CHECK (((length(line_id) >= 1) AND (length(line_id) <= 200))),
  CONSTRAINT deal_lines_source_check CHECK ((source = ANY (ARRAY['api'::text, 'crm'::text])))
);
CREATE INDEX deal_lines_of_crm ON deal_lines USING btree (workspace_id, line_id) WHERE (source = 'crm'::text);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON deal_lines FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON deal_lines FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('deal_id,source,line_id', '', 'updated_at');
ALTER TABLE deal_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_lines_of_owner ON deal_lines TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_lines_of_workspace ON deal_lines TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_lines TO commissions_app;

CREATE TABLE deal_line_history (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  lines jsonb,
  source text,
  CONSTRAINT deal_line_history_pkey PRIMARY KEY (workspace_id, deal_id, "position"),
  CONSTRAINT deal_line_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT deal_line_history_check CHECK (((lines IS NULL) = (source IS NULL))),
  CONSTRAINT deal_line_history_source_check CHECK ((source = ANY (ARRAY['api'::text, 'crm'::text])))
);
ALTER TABLE deal_line_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_line_history_of_owner ON deal_line_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_line_history_of_workspace ON deal_line_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON deal_line_history TO commissions_app;

CREATE TABLE deal_refunds (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  refund_id text NOT NULL,
  day date NOT NULL,
  cause text NOT NULL,
  amount numeric(30,4),
  lines jsonb,
  reason text NOT NULL DEFAULT ''::text,
  waivers jsonb NOT NULL DEFAULT '[]'::jsonb,
  deal_key text DEFAULT ((('refund:'::text || deal_id) || ':'::text) || refund_id),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT deal_refunds_pkey PRIMARY KEY (workspace_id, deal_id, refund_id),
  CONSTRAINT deal_refunds_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT deal_refunds_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT deal_refunds_cause_check CHECK ((cause = ANY (ARRAY['cancellation'::text, 'refund'::text, 'non_payment'::text]))),
  CONSTRAINT deal_refunds_check CHECK (((lines IS NULL) OR (amount IS NULL))),
  CONSTRAINT deal_refunds_reason_check CHECK ((length(reason) <= 1000)),
  CONSTRAINT deal_refunds_refund_id_check CHECK (((refund_id !~ ':'::text) AND ((length(refund_id) >= 1) AND (length(refund_id) <= 200))))
);
CREATE INDEX deal_refunds_by_day ON deal_refunds USING btree (workspace_id, day);
CREATE INDEX deal_refunds_by_key ON deal_refunds USING btree (workspace_id, deal_key);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON deal_refunds FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON deal_refunds FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON deal_refunds FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('deal_id,refund_id', 'reason,waivers', '');
ALTER TABLE deal_refunds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_refunds_of_owner ON deal_refunds TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_refunds_of_workspace ON deal_refunds TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_refunds TO commissions_app;

CREATE TABLE deal_refund_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  deal_id text NOT NULL,
  refund_id text NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  content jsonb,
  CONSTRAINT deal_refund_history_pkey PRIMARY KEY (workspace_id, deal_id, refund_id, "position"),
  CONSTRAINT deal_refund_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE deal_refund_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_refund_history_of_owner ON deal_refund_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_refund_history_of_workspace ON deal_refund_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON deal_refund_history TO commissions_app;

CREATE TABLE removed_rows (
  workspace_id uuid NOT NULL,
  feed text NOT NULL,
  row_key text NOT NULL,
  rep_id uuid,
  removed_at timestamp with time zone NOT NULL DEFAULT now(),
  changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT removed_rows_pkey PRIMARY KEY (workspace_id, feed, row_key),
  CONSTRAINT removed_rows_feed_check CHECK ((feed = ANY (ARRAY['deals'::text, 'commission_events'::text])))
);
CREATE INDEX removed_rows_by_change ON removed_rows USING btree (workspace_id, feed, changed_in, row_key);
ALTER TABLE removed_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY removed_rows_of_owner ON removed_rows TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY removed_rows_of_workspace ON removed_rows TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON removed_rows TO commissions_app;

CREATE TABLE commission_events (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  deal_key text,
  plan_id uuid,
  plan_version_id uuid,
  rule_id uuid,
  rule_name text,
  phase text,
  category text NOT NULL,
  amount numeric(30,4) NOT NULL,
  base numeric,
  credit numeric NOT NULL DEFAULT 0,
  tier_name text,
  attainment_key text,
  currency text NOT NULL,
  period text NOT NULL,
  earned_on date NOT NULL,
  share text,
  idempotency_key uuid NOT NULL,
  trace text,
  reason text,
  actor text,
  run_id uuid,
  revision integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT commission_events_pkey PRIMARY KEY (workspace_id, rep_id, event_id),
  CONSTRAINT commission_events_amount_check CHECK ((amount <> 'NaN'::numeric)),
  CONSTRAINT commission_events_category_check CHECK ((category = ANY (ARRAY['commission'::text, 'bonus'::text, 'adjustment'::text]))),
  CONSTRAINT commission_events_credit_check CHECK ((credit <> 'NaN'::numeric)),
  CONSTRAINT commission_events_kind_check CHECK ((kind = ANY (ARRAY['commission_earned'::text, 'true_up'::text, 'adjustment'::text, 'clawback'::text]))),
  CONSTRAINT commission_events_phase_check CHECK ((phase = ANY (ARRAY['per_deal'::text, 'cascade'::text, 'periodic'::text]))),
  CONSTRAINT commission_events_share_check CHECK ((share ~ '^-?[0-9.]+ -?[0-9.]+$'::text)),
  CONSTRAINT commission_events_status_check CHECK ((status = ANY (ARRAY['earned'::text, 'reversed'::text])))
) WITH (fillfactor=50);
CREATE INDEX commission_events_by_day ON commission_events USING btree (workspace_id, rep_id, earned_on);
CREATE INDEX commission_events_by_deal ON commission_events USING btree (workspace_id, deal_key);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON commission_events FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER commission_events_frozen_delete AFTER DELETE ON commission_events REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION reject_events_of_approved_periods();
CREATE TRIGGER commission_events_frozen_insert AFTER INSERT ON commission_events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION reject_events_of_approved_periods();
CREATE TRIGGER commission_events_frozen_update AFTER UPDATE ON commission_events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION reject_events_of_approved_periods();
CREATE TRIGGER keep_removed_rows AFTER DELETE ON commission_events REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_commission_events();
CREATE TRIGGER record_row_change_new AFTER INSERT OR UPDATE ON commission_events FOR EACH ROW WHEN (((new.kind <> 'commission_earned'::text) AND (current_setting('app.records_changes'::text, true) = 'on'::text))) EXECUTE FUNCTION record_row_change('event_id,rep_id', 'reason', 'revision,updated_at,trace,idempotency_key');
CREATE TRIGGER record_row_change_old AFTER DELETE ON commission_events FOR EACH ROW WHEN (((old.kind <> 'commission_earned'::text) AND (current_setting('app.records_changes'::text, true) = 'on'::text))) EXECUTE FUNCTION record_row_change('event_id,rep_id', 'reason', 'revision,updated_at,trace,idempotency_key');
ALTER TABLE commission_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY commission_events_of_owner ON commission_events TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY commission_events_of_workspace ON commission_events TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON commission_events TO commissions_app;

CREATE TABLE commission_event_history (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  event_id uuid NOT NULL,
  revision integer NOT NULL,
  change text NOT NULL,
  run_id uuid,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  kind text NOT NULL,
  status text NOT NULL,
  deal_key text,
  plan_id uuid,
  plan_version_id uuid,
  rule_id uuid,
  rule_name text,
  phase text,
  category text NOT NULL,
  amount numeric(30,4) NOT NULL,
  base numeric,
  credit numeric NOT NULL,
  tier_name text,
  attainment_key text,
  currency text NOT NULL,
  period text NOT NULL,
  earned_on date NOT NULL,
  share text,
  idempotency_key uuid NOT NULL,
  trace text,
  reason text,
  actor text,
  changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT commission_event_history_pkey PRIMARY KEY (workspace_id, rep_id, event_id, revision),
  CONSTRAINT commission_event_history_change_check CHECK ((change = ANY (ARRAY['inserted'::text, 'changed'::text, 'reversed'::text, 'restored'::text, 'deleted'::text]))),
  CONSTRAINT commission_event_history_share_check CHECK ((share ~ '^-?[0-9.]+ -?[0-9.]+$'::text))
);
CREATE INDEX commission_event_history_by_change ON commission_event_history USING btree (workspace_id, changed_in, event_id) WHERE (changed_in IS NOT NULL);
ALTER TABLE commission_event_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY commission_event_history_of_owner ON commission_event_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY commission_event_history_of_workspace ON commission_event_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON commission_event_history TO commissions_app;

CREATE TABLE rep_months (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  month date NOT NULL,
  currency text NOT NULL,
  commission numeric(30,4) NOT NULL,
  bonus numeric(30,4) NOT NULL,
  adjustments numeric(30,4) NOT NULL,
  deals integer NOT NULL,
  periods text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT rep_months_pkey PRIMARY KEY (workspace_id, rep_id, month, currency)
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rep_months FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE rep_months ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rep_months_of_owner ON rep_months TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rep_months_of_workspace ON rep_months TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rep_months TO commissions_app;

CREATE TABLE lanes (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone,
  parked_at timestamp with time zone,
  last_error text,
  cleared_at timestamp with time zone,
  incomplete boolean NOT NULL DEFAULT false,
  fresh_revision uuid,
  fresh_until date,
  fresh_through date,
  fresh_code uuid,
  fresh_deals integer,
  fresh_skipped integer,
  CONSTRAINT lanes_pkey PRIMARY KEY (workspace_id, rep_id),
  CONSTRAINT lanes_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE,
  CONSTRAINT lanes_check CHECK ((num_nulls(fresh_revision, fresh_until, fresh_through, fresh_code, fresh_deals, fresh_skipped) = ANY (ARRAY[0, 6])))
);
ALTER TABLE lanes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY lanes_of_owner ON lanes TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY lanes_of_workspace ON lanes TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON lanes TO commissions_app;

CREATE TABLE jobs (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  kind text NOT NULL,
  scope jsonb NOT NULL,
  scope_key text NOT NULL,
  status text NOT NULL,
  total integer NOT NULL DEFAULT 0,
  deals integer NOT NULL DEFAULT 0,
  result jsonb,
  error text,
  actor text NOT NULL,
  syncing boolean NOT NULL DEFAULT false,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  finished_at timestamp with time zone,
  CONSTRAINT jobs_pkey PRIMARY KEY (workspace_id, job_id),
  CONSTRAINT jobs_kind_check CHECK ((kind = ANY (ARRAY['recalculation'::text, 'import'::text, 'mapping'::text, 'sync'::text]))),
  CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX jobs_running ON jobs USING btree (workspace_id, scope_key) WHERE (status = 'running'::text);
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY jobs_of_owner ON jobs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY jobs_of_workspace ON jobs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON jobs TO commissions_app;

CREATE TABLE calculation_requests (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  request_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  from_day date NOT NULL,
  to_day date NOT NULL,
  trigger text NOT NULL,
  deal_id text,
  job_id uuid,
  sync_run_id uuid,
  continues boolean NOT NULL DEFAULT false,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT calculation_requests_pkey PRIMARY KEY (workspace_id, rep_id, request_id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX calculation_requests_by_age ON calculation_requests USING btree (workspace_id, request_id);
CREATE INDEX calculation_requests_by_job ON calculation_requests USING btree (workspace_id, job_id) WHERE (job_id IS NOT NULL);
ALTER TABLE calculation_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY calculation_requests_of_owner ON calculation_requests TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY calculation_requests_of_workspace ON calculation_requests TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON calculation_requests TO commissions_app;

CREATE TABLE period_checks (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  check_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  period text NOT NULL,
  causes jsonb NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT period_checks_pkey PRIMARY KEY (workspace_id, rep_id, check_id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
ALTER TABLE period_checks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY period_checks_of_owner ON period_checks TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY period_checks_of_workspace ON period_checks TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON period_checks TO commissions_app;

CREATE TABLE write_back_requests (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  request_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  from_day date NOT NULL,
  to_day date NOT NULL,
  CONSTRAINT write_back_requests_pkey PRIMARY KEY (workspace_id, request_id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
ALTER TABLE write_back_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY write_back_requests_of_owner ON write_back_requests TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY write_back_requests_of_workspace ON write_back_requests TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON write_back_requests TO commissions_app;

CREATE TABLE audit_runs (
  workspace_id uuid NOT NULL,
  run_id uuid NOT NULL,
  actor text NOT NULL,
  trigger text NOT NULL,
  scope text NOT NULL,
  deal_id text,
  rep_id uuid,
  period text,
  outcome text NOT NULL,
  events_written integer NOT NULL DEFAULT 0,
  events_reversed integer NOT NULL DEFAULT 0,
  statement_locked integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  deals integer NOT NULL DEFAULT 0,
  blocked jsonb,
  details jsonb,
  error text,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  duration_ms integer NOT NULL DEFAULT 0,
  CONSTRAINT audit_runs_pkey PRIMARY KEY (workspace_id, run_id),
  CONSTRAINT audit_runs_outcome_check CHECK ((outcome = ANY (ARRAY['written'::text, 'no_change'::text, 'skipped'::text, 'statement_locked'::text, 'failed'::text])))
);
CREATE INDEX audit_runs_by_time ON audit_runs USING btree (workspace_id, started_at DESC);
ALTER TABLE audit_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_runs_of_owner ON audit_runs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY audit_runs_of_workspace ON audit_runs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON audit_runs TO commissions_app;

CREATE TABLE audit_run_deals (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  run_id uuid NOT NULL,
  CONSTRAINT audit_run_deals_pkey PRIMARY KEY (workspace_id, deal_id, run_id)
);
ALTER TABLE audit_run_deals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_run_deals_of_owner ON audit_run_deals TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY audit_run_deals_of_workspace ON audit_run_deals TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON audit_run_deals TO commissions_app;

CREATE TABLE audit_run_jobs (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  run_id uuid NOT NULL,
  CONSTRAINT audit_run_jobs_pkey PRIMARY KEY (workspace_id, job_id, run_id)
);
ALTER TABLE audit_run_jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_run_jobs_of_owner ON audit_run_jobs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY audit_run_jobs_of_workspace ON audit_run_jobs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON audit_run_jobs TO commissions_app;

CREATE TABLE audit_entries (
  workspace_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  content text NOT NULL,
  position bigint,
  hash bytea,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (workspace_id, entry_id),
  CONSTRAINT audit_entries_check CHECK (((length(hash) = 32) AND ("position" >= 1)))
);
CREATE INDEX audit_entries_by_time ON audit_entries USING btree (workspace_id, at);
CREATE INDEX audit_entries_of_imports ON audit_entries USING btree (workspace_id, at DESC, entry_id) WHERE ((content ~~ '%"operation":"import%'::text) OR (content ~~ '%"operation":"takeBackImport"%'::text));
CREATE UNIQUE INDEX audit_entries_sealed ON audit_entries USING btree (workspace_id, "position");
CREATE INDEX audit_entries_unsealed ON audit_entries USING btree (workspace_id, at, entry_id) WHERE ("position" IS NULL);
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_entries_of_owner ON audit_entries TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY audit_entries_of_workspace ON audit_entries TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT SELECT ON audit_entries TO commissions_app;
GRANT INSERT (workspace_id, entry_id, content) ON audit_entries TO commissions_app;

CREATE TABLE rejected_calls (
  workspace_id uuid NOT NULL,
  caller text NOT NULL,
  operation text NOT NULL,
  code text NOT NULL,
  minute timestamp with time zone NOT NULL,
  repeats integer NOT NULL DEFAULT 0,
  entry_id uuid NOT NULL,
  head text NOT NULL,
  CONSTRAINT rejected_calls_pkey PRIMARY KEY (workspace_id, caller, operation, code, minute)
);
ALTER TABLE rejected_calls ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rejected_calls_of_owner ON rejected_calls TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rejected_calls_of_workspace ON rejected_calls TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rejected_calls TO commissions_app;

CREATE TABLE statement_periods (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  status text NOT NULL,
  current_version integer NOT NULL DEFAULT 0,
  approved_version integer,
  approved_at timestamp with time zone,
  approved_by text,
  approver jsonb,
  approved_total numeric(30,4),
  currency text,
  trued_up boolean NOT NULL DEFAULT false,
  CONSTRAINT statement_periods_pkey PRIMARY KEY (workspace_id, rep_id, period),
  CONSTRAINT statement_periods_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_periods_approved_total_check CHECK ((approved_total <> 'NaN'::numeric)),
  CONSTRAINT statement_periods_check CHECK ((approved_version <= current_version)),
  CONSTRAINT statement_periods_check1 CHECK (((status = 'approved'::text) OR (NOT trued_up))),
  CONSTRAINT statement_periods_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT statement_periods_current_version_check CHECK ((current_version >= 0)),
  CONSTRAINT statement_periods_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])))
);
CREATE INDEX statement_periods_trued_up ON statement_periods USING btree (workspace_id, rep_id) WHERE trued_up;
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON statement_periods FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON statement_periods FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,period', 'approver', '');
CREATE TRIGGER record_statement_periods_insert AFTER INSERT ON statement_periods REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION record_statement_periods();
CREATE TRIGGER record_statement_periods_update AFTER UPDATE ON statement_periods REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION record_statement_periods();
ALTER TABLE statement_periods ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statement_periods_of_owner ON statement_periods TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statement_periods_of_workspace ON statement_periods TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON statement_periods TO commissions_app;

CREATE TABLE statement_period_history (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  from_day date NOT NULL,
  to_day date NOT NULL,
  status text NOT NULL,
  current_version integer NOT NULL,
  approved_at timestamp with time zone,
  approver jsonb,
  approved_total numeric(30,4),
  currency text,
  CONSTRAINT statement_period_history_pkey PRIMARY KEY (workspace_id, rep_id, period, "position")
);
ALTER TABLE statement_period_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statement_period_history_of_owner ON statement_period_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statement_period_history_of_workspace ON statement_period_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON statement_period_history TO commissions_app;

CREATE TABLE statements (
  workspace_id uuid NOT NULL,
  statement_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  summary jsonb NOT NULL,
  other_currencies jsonb NOT NULL,
  deal_count integer NOT NULL,
  line_items jsonb NOT NULL,
  payable jsonb,
  content_hash uuid NOT NULL,
  generated_at timestamp with time zone NOT NULL,
  generated_by text NOT NULL,
  CONSTRAINT statements_pkey PRIMARY KEY (workspace_id, statement_id),
  CONSTRAINT statements_version UNIQUE (workspace_id, rep_id, period, version),
  CONSTRAINT statements_workspace_id_rep_id_period_fkey FOREIGN KEY (workspace_id, rep_id, period) REFERENCES statement_periods(workspace_id, rep_id, period),
  CONSTRAINT statements_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT statements_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text]))),
  CONSTRAINT statements_version_check CHECK ((version >= 1))
);
ALTER TABLE statements ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statements_of_owner ON statements TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statements_of_workspace ON statements TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON statements TO commissions_app;

CREATE TABLE statement_comments (
  workspace_id uuid NOT NULL,
  comment_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  deal_id text,
  body text NOT NULL,
  author_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT statement_comments_pkey PRIMARY KEY (workspace_id, comment_id),
  CONSTRAINT statement_comments_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_comments_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_comments_body_check CHECK (((length(body) >= 1) AND (length(body) <= 4000)))
);
CREATE INDEX statement_comments_by_statement ON statement_comments USING btree (workspace_id, rep_id, period, created_at);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON statement_comments FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON statement_comments FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('comment_id,rep_id,period', 'body', '');
ALTER TABLE statement_comments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statement_comments_of_owner ON statement_comments TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statement_comments_of_workspace ON statement_comments TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON statement_comments TO commissions_app;

CREATE TABLE statement_checks (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  version integer NOT NULL,
  note text,
  author_id uuid,
  checked_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT statement_checks_pkey PRIMARY KEY (workspace_id, rep_id, period, version),
  CONSTRAINT statement_checks_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_checks_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_checks_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON statement_checks FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON statement_checks FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,period,version', 'note', '');
ALTER TABLE statement_checks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statement_checks_of_owner ON statement_checks TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statement_checks_of_workspace ON statement_checks TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON statement_checks TO commissions_app;

CREATE TABLE disputes (
  workspace_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  deal_id text,
  event_id uuid,
  type text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  expected_amount numeric(30,4),
  currency text NOT NULL,
  description text NOT NULL,
  evidence jsonb NOT NULL,
  opened_by uuid,
  opened_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  adjustment_event_id uuid,
  approved_by uuid,
  CONSTRAINT disputes_pkey PRIMARY KEY (workspace_id, dispute_id),
  CONSTRAINT disputes_workspace_id_opened_by_fkey FOREIGN KEY (workspace_id, opened_by) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT disputes_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT disputes_check CHECK (((status = 'accepted'::text) OR (adjustment_event_id IS NULL))),
  CONSTRAINT disputes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT disputes_description_check CHECK (((length(description) >= 1) AND (length(description) <= 4000))),
  CONSTRAINT disputes_expected_amount_check CHECK ((expected_amount <> 'NaN'::numeric)),
  CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_review'::text, 'accepted'::text, 'rejected'::text, 'withdrawn'::text]))),
  CONSTRAINT disputes_type_check CHECK ((type = ANY (ARRAY['missing_deal'::text, 'wrong_amount'::text, 'wrong_credit'::text, 'wrong_plan'::text, 'other'::text])))
);
CREATE INDEX disputes_by_rep ON disputes USING btree (workspace_id, rep_id, status);
CREATE INDEX disputes_by_time ON disputes USING btree (workspace_id, opened_at DESC, dispute_id);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON disputes FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON disputes FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('dispute_id,rep_id,period', 'description,evidence', '');
ALTER TABLE disputes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY disputes_of_owner ON disputes TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY disputes_of_workspace ON disputes TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON disputes TO commissions_app;

CREATE TABLE dispute_steps (
  workspace_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  step integer NOT NULL,
  status text NOT NULL,
  note text,
  author_id uuid,
  actor text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT dispute_steps_pkey PRIMARY KEY (workspace_id, dispute_id, step),
  CONSTRAINT dispute_steps_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT dispute_steps_workspace_id_dispute_id_fkey FOREIGN KEY (workspace_id, dispute_id) REFERENCES disputes(workspace_id, dispute_id),
  CONSTRAINT dispute_steps_note_check CHECK (((length(note) >= 1) AND (length(note) <= 2000))),
  CONSTRAINT dispute_steps_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_review'::text, 'accepted'::text, 'rejected'::text, 'withdrawn'::text]))),
  CONSTRAINT dispute_steps_step_check CHECK ((step >= 1))
);
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON dispute_steps FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('dispute_id,step', 'note', '');
ALTER TABLE dispute_steps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY dispute_steps_of_owner ON dispute_steps TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY dispute_steps_of_workspace ON dispute_steps TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON dispute_steps TO commissions_app;

CREATE TABLE trued_up_rows (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  frozen_period text NOT NULL,
  plan_id uuid NOT NULL,
  rule_name text NOT NULL,
  deal_key text NOT NULL,
  plan_version_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  phase text NOT NULL,
  category text NOT NULL,
  amount numeric NOT NULL,
  base numeric,
  credit numeric NOT NULL,
  tier_name text,
  attainment_key text NOT NULL,
  currency text NOT NULL,
  period text NOT NULL,
  earned_on date NOT NULL,
  share text,
  inputs jsonb,
  cut_off numeric,
  CONSTRAINT trued_up_rows_pkey PRIMARY KEY (workspace_id, rep_id, plan_id, rule_name, deal_key),
  CONSTRAINT trued_up_rows_workspace_id_rep_id_frozen_period_fkey FOREIGN KEY (workspace_id, rep_id, frozen_period) REFERENCES statement_periods(workspace_id, rep_id, period),
  CONSTRAINT trued_up_rows_amount_check CHECK ((amount <> 'NaN'::numeric)),
  CONSTRAINT trued_up_rows_category_check CHECK ((category = ANY (ARRAY['commission'::text, 'bonus'::text]))),
  CONSTRAINT trued_up_rows_credit_check CHECK ((credit <> 'NaN'::numeric)),
  CONSTRAINT trued_up_rows_phase_check CHECK ((phase = ANY (ARRAY['per_deal'::text, 'cascade'::text, 'periodic'::text]))),
  CONSTRAINT trued_up_rows_share_check CHECK ((share ~ '^-?[0-9.]+ -?[0-9.]+$'::text))
);
CREATE INDEX trued_up_rows_by_day ON trued_up_rows USING btree (workspace_id, rep_id, earned_on);
CREATE INDEX trued_up_rows_by_deal ON trued_up_rows USING btree (workspace_id, deal_key);
ALTER TABLE trued_up_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY trued_up_rows_of_owner ON trued_up_rows TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY trued_up_rows_of_workspace ON trued_up_rows TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON trued_up_rows TO commissions_app;

CREATE TABLE true_ups (
  workspace_id uuid NOT NULL,
  event_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  lines jsonb NOT NULL,
  payable jsonb,
  CONSTRAINT true_ups_pkey PRIMARY KEY (workspace_id, event_id),
  CONSTRAINT true_ups_workspace_id_rep_id_period_fkey FOREIGN KEY (workspace_id, rep_id, period) REFERENCES statement_periods(workspace_id, rep_id, period)
);
CREATE INDEX true_ups_by_period ON true_ups USING btree (workspace_id, rep_id, period);
ALTER TABLE true_ups ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY true_ups_of_owner ON true_ups TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY true_ups_of_workspace ON true_ups TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON true_ups TO commissions_app;

CREATE TABLE frozen_deal_amounts (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  deal_key text NOT NULL,
  amount numeric,
  CONSTRAINT frozen_deal_amounts_pkey PRIMARY KEY (workspace_id, rep_id, period, deal_key),
  CONSTRAINT frozen_deal_amounts_workspace_id_rep_id_period_fkey FOREIGN KEY (workspace_id, rep_id, period) REFERENCES statement_periods(workspace_id, rep_id, period)
);
ALTER TABLE frozen_deal_amounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY frozen_deal_amounts_of_owner ON frozen_deal_amounts TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY frozen_deal_amounts_of_workspace ON frozen_deal_amounts TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON frozen_deal_amounts TO commissions_app;

CREATE TABLE discrepancies (
  workspace_id uuid NOT NULL,
  discrepancy_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  approved numeric(30,4) NOT NULL,
  carried_forward numeric(30,4) NOT NULL,
  delta numeric(30,4) NOT NULL,
  other_currencies jsonb NOT NULL,
  lines jsonb NOT NULL,
  line_count integer NOT NULL,
  causes jsonb NOT NULL,
  since timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  action text,
  reason text,
  resolved_by uuid,
  resolved_at timestamp with time zone,
  event_id uuid,
  CONSTRAINT discrepancies_pkey PRIMARY KEY (workspace_id, discrepancy_id),
  CONSTRAINT discrepancies_workspace_id_rep_id_period_fkey FOREIGN KEY (workspace_id, rep_id, period) REFERENCES statement_periods(workspace_id, rep_id, period),
  CONSTRAINT discrepancies_workspace_id_resolved_by_fkey FOREIGN KEY (workspace_id, resolved_by) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT discrepancies_action_check CHECK ((action = ANY (ARRAY['true_up'::text, 'carry_forward'::text, 'dismiss'::text, 'cleared'::text, 'unlocked'::text]))),
  CONSTRAINT discrepancies_approved_check CHECK ((approved <> 'NaN'::numeric)),
  CONSTRAINT discrepancies_carried_forward_check CHECK ((carried_forward <> 'NaN'::numeric)),
  CONSTRAINT discrepancies_check CHECK (((status = 'open'::text) = (action IS NULL))),
  CONSTRAINT discrepancies_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT discrepancies_delta_check CHECK ((delta <> 'NaN'::numeric)),
  CONSTRAINT discrepancies_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  CONSTRAINT discrepancies_status_check CHECK ((status = ANY (ARRAY['open'::text, 'dismissed'::text, 'resolved'::text])))
);
CREATE INDEX discrepancies_by_time ON discrepancies USING btree (workspace_id, since DESC, discrepancy_id);
CREATE UNIQUE INDEX discrepancies_present ON discrepancies USING btree (workspace_id, rep_id, period, currency) WHERE (status <> 'resolved'::text);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON discrepancies FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON discrepancies FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('discrepancy_id,rep_id,period', 'reason,lines', '');
ALTER TABLE discrepancies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY discrepancies_of_owner ON discrepancies TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY discrepancies_of_workspace ON discrepancies TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON discrepancies TO commissions_app;

CREATE TABLE statement_signatures (
  workspace_id uuid NOT NULL,
  signature_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  step text NOT NULL,
  version integer NOT NULL,
  content_hash uuid NOT NULL,
  signer_id uuid,
  on_behalf_of uuid,
  signed_at timestamp with time zone NOT NULL,
  carried_amount numeric,
  ended_at timestamp with time zone,
  ended_by text,
  CONSTRAINT statement_signatures_pkey PRIMARY KEY (workspace_id, signature_id),
  CONSTRAINT statement_signatures_workspace_id_on_behalf_of_fkey FOREIGN KEY (workspace_id, on_behalf_of) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_signatures_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_signatures_workspace_id_signer_id_fkey FOREIGN KEY (workspace_id, signer_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT statement_signatures_check CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
  CONSTRAINT statement_signatures_ended_by_check CHECK ((ended_by = ANY (ARRAY['changed'::text, 'withdrawn'::text, 'unlocked'::text, 'chain_changed'::text, 'disputed'::text])))
);
CREATE UNIQUE INDEX statement_signatures_counting ON statement_signatures USING btree (workspace_id, rep_id, period, step) WHERE (ended_at IS NULL);
CREATE INDEX statement_signatures_of_statement ON statement_signatures USING btree (workspace_id, period, rep_id);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON statement_signatures FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON statement_signatures FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('signature_id,rep_id,period', '', '');
ALTER TABLE statement_signatures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY statement_signatures_of_owner ON statement_signatures TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY statement_signatures_of_workspace ON statement_signatures TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON statement_signatures TO commissions_app;

CREATE TABLE step_assignments (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  step text NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  signer_ids uuid[] NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  assigned_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT step_assignments_pkey PRIMARY KEY (workspace_id, rep_id, period, step, "position"),
  CONSTRAINT step_assignments_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT step_assignments_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON step_assignments FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON step_assignments FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,period,step', 'reason', '');
ALTER TABLE step_assignments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY step_assignments_of_owner ON step_assignments TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY step_assignments_of_workspace ON step_assignments TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON step_assignments TO commissions_app;

CREATE TABLE delegations (
  workspace_id uuid NOT NULL,
  delegation_id uuid NOT NULL,
  from_rep_id uuid NOT NULL,
  delegate_id uuid NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT delegations_pkey PRIMARY KEY (workspace_id, delegation_id),
  CONSTRAINT delegations_workspace_id_delegate_id_fkey FOREIGN KEY (workspace_id, delegate_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT delegations_workspace_id_from_rep_id_fkey FOREIGN KEY (workspace_id, from_rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT delegations_check CHECK ((from_rep_id <> delegate_id)),
  CONSTRAINT delegations_check1 CHECK (((to_day >= from_day) AND (to_day <= (from_day + 91))))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON delegations FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON delegations FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('delegation_id', '', '');
ALTER TABLE delegations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY delegations_of_owner ON delegations TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY delegations_of_workspace ON delegations TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON delegations TO commissions_app;

CREATE TABLE adjustment_proposals (
  workspace_id uuid NOT NULL,
  adjustment_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  period text NOT NULL,
  kind text NOT NULL,
  amount numeric NOT NULL,
  currency text NOT NULL,
  deal_id text,
  reason text NOT NULL,
  deciders jsonb NOT NULL,
  proposer_ids uuid[] NOT NULL,
  actor text NOT NULL,
  proposed_at timestamp with time zone NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'proposed'::text,
  decided_by uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  event_id uuid,
  CONSTRAINT adjustment_proposals_pkey PRIMARY KEY (workspace_id, adjustment_id),
  CONSTRAINT adjustment_proposals_workspace_id_decided_by_fkey FOREIGN KEY (workspace_id, decided_by) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT adjustment_proposals_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT adjustment_proposals_check CHECK (((status = 'proposed'::text) = (decided_at IS NULL))),
  CONSTRAINT adjustment_proposals_check1 CHECK (((status = 'approved'::text) = (event_id IS NOT NULL))),
  CONSTRAINT adjustment_proposals_decision_reason_check CHECK ((length(decision_reason) <= 1000)),
  CONSTRAINT adjustment_proposals_kind_check CHECK ((kind = ANY (ARRAY['adjustment'::text, 'clawback'::text]))),
  CONSTRAINT adjustment_proposals_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  CONSTRAINT adjustment_proposals_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'approved'::text, 'rejected'::text])))
);
CREATE INDEX adjustment_proposals_of_statement ON adjustment_proposals USING btree (workspace_id, period, rep_id);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON adjustment_proposals FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON adjustment_proposals FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('adjustment_id,rep_id,period', 'reason,decision_reason', '');
ALTER TABLE adjustment_proposals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY adjustment_proposals_of_owner ON adjustment_proposals TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY adjustment_proposals_of_workspace ON adjustment_proposals TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON adjustment_proposals TO commissions_app;

CREATE TABLE own_changes (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  operation text NOT NULL,
  deal_id text NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  actor text NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT own_changes_pkey PRIMARY KEY (workspace_id, rep_id, operation, deal_id)
);
ALTER TABLE own_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_changes_of_owner ON own_changes TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY own_changes_of_workspace ON own_changes TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON own_changes TO commissions_app;

CREATE TABLE invoices (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  invoice_id text NOT NULL,
  amount numeric(30,4) NOT NULL,
  gross_amount numeric(30,4),
  currency text,
  issued_on date NOT NULL,
  status text NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT invoices_pkey PRIMARY KEY (workspace_id, deal_id, invoice_id),
  CONSTRAINT invoices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT invoices_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT invoices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT invoices_gross_amount_check CHECK ((gross_amount > (0)::numeric)),
  CONSTRAINT invoices_status_check CHECK ((status = ANY (ARRAY['open'::text, 'void'::text, 'written_off'::text])))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON invoices FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('deal_id,invoice_id', '', '');
ALTER TABLE invoices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY invoices_of_owner ON invoices TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY invoices_of_workspace ON invoices TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON invoices TO commissions_app;

CREATE TABLE customer_payments (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  invoice_id text NOT NULL,
  payment_id text NOT NULL,
  amount numeric(30,4) NOT NULL,
  paid_on date NOT NULL,
  CONSTRAINT customer_payments_pkey PRIMARY KEY (workspace_id, deal_id, invoice_id, payment_id),
  CONSTRAINT customer_payments_workspace_id_deal_id_invoice_id_fkey FOREIGN KEY (workspace_id, deal_id, invoice_id) REFERENCES invoices(workspace_id, deal_id, invoice_id) ON DELETE CASCADE,
  CONSTRAINT customer_payments_amount_check CHECK (((amount <> (0)::numeric) AND (amount <> 'NaN'::numeric)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON customer_payments FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON customer_payments FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('deal_id,invoice_id,payment_id', '', '');
ALTER TABLE customer_payments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY customer_payments_of_owner ON customer_payments TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY customer_payments_of_workspace ON customer_payments TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON customer_payments TO commissions_app;

CREATE TABLE invoice_history (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  deal_id text NOT NULL,
  invoice_id text NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  content jsonb,
  CONSTRAINT invoice_history_pkey PRIMARY KEY (workspace_id, deal_id, invoice_id, "position"),
  CONSTRAINT invoice_history_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE invoice_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY invoice_history_of_owner ON invoice_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY invoice_history_of_workspace ON invoice_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON invoice_history TO commissions_app;

CREATE TABLE payout_holds (
  workspace_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  rep_id uuid,
  deal_id text,
  rule_name text,
  from_day date NOT NULL,
  to_day date,
  reason text NOT NULL,
  note text,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payout_holds_pkey PRIMARY KEY (workspace_id, hold_id),
  CONSTRAINT payout_holds_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT payout_holds_check CHECK ((num_nonnulls(rep_id, deal_id, rule_name) > 0)),
  CONSTRAINT payout_holds_check1 CHECK ((to_day >= from_day)),
  CONSTRAINT payout_holds_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000))),
  CONSTRAINT payout_holds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON payout_holds FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON payout_holds FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('hold_id,rep_id', 'reason,note', '');
ALTER TABLE payout_holds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY payout_holds_of_owner ON payout_holds TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY payout_holds_of_workspace ON payout_holds TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON payout_holds TO commissions_app;

CREATE TABLE payout_hold_history (
  workspace_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  rep_id uuid,
  deal_id text,
  rule_name text,
  from_day date NOT NULL,
  to_day date,
  CONSTRAINT payout_hold_history_pkey PRIMARY KEY (workspace_id, hold_id, "position")
);
ALTER TABLE payout_hold_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY payout_hold_history_of_owner ON payout_hold_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY payout_hold_history_of_workspace ON payout_hold_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON payout_hold_history TO commissions_app;

CREATE TABLE draws (
  workspace_id uuid NOT NULL,
  draw_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  kind text NOT NULL,
  recoverable boolean NOT NULL,
  amount numeric NOT NULL,
  currency text NOT NULL,
  from_day date NOT NULL,
  to_day date,
  recovery_start text NOT NULL,
  recovery_day date,
  recovery_percent numeric(9,6) NOT NULL,
  forgive_on date,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp with time zone,
  CONSTRAINT draws_pkey PRIMARY KEY (workspace_id, draw_id),
  CONSTRAINT draws_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT draws_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT draws_check CHECK ((to_day >= from_day)),
  CONSTRAINT draws_check1 CHECK (((recovery_start = 'day'::text) = (recovery_day IS NOT NULL))),
  CONSTRAINT draws_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT draws_kind_check CHECK ((kind = ANY (ARRAY['guarantee'::text, 'advance'::text]))),
  CONSTRAINT draws_recovery_percent_check CHECK (((recovery_percent >= (0)::numeric) AND (recovery_percent <= (100)::numeric))),
  CONSTRAINT draws_recovery_start_check CHECK ((recovery_start = ANY (ARRAY['next_period'::text, 'after_end'::text, 'day'::text])))
);
CREATE INDEX draws_of_rep ON draws USING btree (workspace_id, rep_id, from_day);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON draws FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON draws FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('draw_id,rep_id', '', '');
ALTER TABLE draws ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY draws_of_owner ON draws TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY draws_of_workspace ON draws TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON draws TO commissions_app;

CREATE TABLE draw_history (
  workspace_id uuid NOT NULL,
  draw_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  to_day date,
  recovery_start text NOT NULL,
  recovery_day date,
  recovery_percent numeric(9,6) NOT NULL,
  forgive_on date,
  CONSTRAINT draw_history_pkey PRIMARY KEY (workspace_id, draw_id, "position")
);
ALTER TABLE draw_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY draw_history_of_owner ON draw_history TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY draw_history_of_workspace ON draw_history TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON draw_history TO commissions_app;

CREATE TABLE draw_forgiveness (
  workspace_id uuid NOT NULL,
  draw_id uuid NOT NULL,
  forgiveness_id uuid NOT NULL,
  amount numeric NOT NULL,
  forgiven_on date NOT NULL,
  reason text NOT NULL,
  forgiven_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT draw_forgiveness_pkey PRIMARY KEY (workspace_id, draw_id, forgiveness_id),
  CONSTRAINT draw_forgiveness_workspace_id_draw_id_fkey FOREIGN KEY (workspace_id, draw_id) REFERENCES draws(workspace_id, draw_id),
  CONSTRAINT draw_forgiveness_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT draw_forgiveness_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON draw_forgiveness FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON draw_forgiveness FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('draw_id,forgiveness_id', 'reason', '');
ALTER TABLE draw_forgiveness ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY draw_forgiveness_of_owner ON draw_forgiveness TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY draw_forgiveness_of_workspace ON draw_forgiveness TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON draw_forgiveness TO commissions_app;

CREATE TABLE payout_batches (
  workspace_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  period text NOT NULL,
  layout text NOT NULL,
  currency text,
  status text NOT NULL DEFAULT 'open'::text,
  filename text NOT NULL,
  sha256 text NOT NULL,
  content bytea,
  row_count integer NOT NULL,
  totals jsonb NOT NULL,
  paid_on date,
  reference text,
  actor text NOT NULL,
  author_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  decided_at timestamp with time zone,
  CONSTRAINT payout_batches_pkey PRIMARY KEY (workspace_id, batch_id),
  CONSTRAINT payout_batches_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT payout_batches_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT payout_batches_check CHECK (((status = 'paid'::text) = (paid_on IS NOT NULL))),
  CONSTRAINT payout_batches_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 200))),
  CONSTRAINT payout_batches_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paid'::text, 'cancelled'::text])))
);
CREATE INDEX payout_batches_by_period ON payout_batches USING btree (workspace_id, period, created_at);
CREATE UNIQUE INDEX payout_batches_open ON payout_batches USING btree (workspace_id, period, COALESCE(currency, ''::text)) WHERE (status = 'open'::text);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON payout_batches FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER payout_batches_decided BEFORE UPDATE ON payout_batches FOR EACH ROW WHEN ((old.status <> 'open'::text)) EXECUTE FUNCTION reject_changes_of_decided_batches();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON payout_batches FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('batch_id,period', 'reference', '');
ALTER TABLE payout_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY payout_batches_of_owner ON payout_batches TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY payout_batches_of_workspace ON payout_batches TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT, UPDATE ON payout_batches TO commissions_app;

CREATE TABLE payout_batch_lines (
  workspace_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  currency text NOT NULL,
  period text NOT NULL,
  version integer NOT NULL,
  commission numeric(30,4) NOT NULL,
  bonus numeric(30,4) NOT NULL,
  adjustment numeric(30,4) NOT NULL,
  amount numeric(30,4) NOT NULL,
  CONSTRAINT payout_batch_lines_pkey PRIMARY KEY (workspace_id, batch_id, rep_id, currency),
  CONSTRAINT payout_batch_lines_workspace_id_batch_id_fkey FOREIGN KEY (workspace_id, batch_id) REFERENCES payout_batches(workspace_id, batch_id),
  CONSTRAINT payout_batch_lines_workspace_id_rep_id_period_fkey FOREIGN KEY (workspace_id, rep_id, period) REFERENCES statement_periods(workspace_id, rep_id, period),
  CONSTRAINT payout_batch_lines_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT payout_batch_lines_check CHECK ((amount = ((commission + bonus) + adjustment))),
  CONSTRAINT payout_batch_lines_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);
CREATE INDEX payout_batch_lines_by_rep ON payout_batch_lines USING btree (workspace_id, rep_id, period);
ALTER TABLE payout_batch_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY payout_batch_lines_of_owner ON payout_batch_lines TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY payout_batch_lines_of_workspace ON payout_batch_lines TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON payout_batch_lines TO commissions_app;

CREATE TABLE export_parts (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  part integer NOT NULL,
  name text,
  rep_id uuid,
  content bytea NOT NULL STORAGE EXTERNAL,
  CONSTRAINT export_parts_pkey PRIMARY KEY (workspace_id, job_id, part),
  CONSTRAINT export_parts_workspace_id_job_id_fkey FOREIGN KEY (workspace_id, job_id) REFERENCES stored_jobs(workspace_id, job_id) ON DELETE CASCADE
);
ALTER TABLE export_parts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY export_parts_of_owner ON export_parts TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY export_parts_of_workspace ON export_parts TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON export_parts TO commissions_app;

CREATE TABLE payroll_handovers (
  workspace_id uuid NOT NULL,
  handover_id uuid NOT NULL,
  period text NOT NULL,
  layout text NOT NULL,
  note text,
  filename text NOT NULL,
  sha256 text NOT NULL,
  bytes integer NOT NULL,
  row_count integer NOT NULL,
  totals jsonb NOT NULL,
  missing_payroll_ids jsonb NOT NULL,
  changed_payroll_ids jsonb NOT NULL,
  scope text NOT NULL,
  amounts jsonb NOT NULL,
  actor text NOT NULL,
  author_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payroll_handovers_pkey PRIMARY KEY (workspace_id, handover_id),
  CONSTRAINT payroll_handovers_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT payroll_handovers_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000))),
  CONSTRAINT payroll_handovers_scope_check CHECK ((scope = ANY (ARRAY['full'::text, 'new'::text])))
);
CREATE INDEX payroll_handovers_by_period ON payroll_handovers USING btree (workspace_id, period, created_at);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON payroll_handovers FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON payroll_handovers FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('handover_id', 'note', 'amounts');
ALTER TABLE payroll_handovers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY payroll_handovers_of_owner ON payroll_handovers TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY payroll_handovers_of_workspace ON payroll_handovers TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON payroll_handovers TO commissions_app;

CREATE TABLE accepted_exceptions (
  workspace_id uuid NOT NULL,
  acceptance_id uuid NOT NULL,
  reason text NOT NULL,
  deal_id text,
  plan_id uuid,
  rule_name text,
  note text NOT NULL,
  accepted_by text NOT NULL,
  accepted_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT accepted_exceptions_pkey PRIMARY KEY (workspace_id, acceptance_id),
  CONSTRAINT accepted_exceptions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT accepted_exceptions_workspace_id_plan_id_fkey FOREIGN KEY (workspace_id, plan_id) REFERENCES plans(workspace_id, plan_id),
  CONSTRAINT accepted_exceptions_check CHECK (((deal_id IS NULL) = (plan_id IS NOT NULL))),
  CONSTRAINT accepted_exceptions_check1 CHECK (((rule_name IS NULL) = (plan_id IS NULL))),
  CONSTRAINT accepted_exceptions_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000))),
  CONSTRAINT accepted_exceptions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 100)))
);
CREATE UNIQUE INDEX accepted_exceptions_of_deals ON accepted_exceptions USING btree (workspace_id, deal_id, reason) WHERE (deal_id IS NOT NULL);
CREATE UNIQUE INDEX accepted_exceptions_of_rules ON accepted_exceptions USING btree (workspace_id, plan_id, rule_name, reason) WHERE (plan_id IS NOT NULL);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accepted_exceptions FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON accepted_exceptions FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('acceptance_id', 'note', '');
ALTER TABLE accepted_exceptions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accepted_exceptions_of_owner ON accepted_exceptions TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accepted_exceptions_of_workspace ON accepted_exceptions TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON accepted_exceptions TO commissions_app;

CREATE TABLE exception_job_rows (
  workspace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  position integer NOT NULL,
  reason text NOT NULL,
  deal_id text NOT NULL,
  rep_id uuid,
  currency text,
  amount numeric,
  content jsonb NOT NULL,
  CONSTRAINT exception_job_rows_pkey PRIMARY KEY (workspace_id, job_id, "position"),
  CONSTRAINT exception_job_rows_workspace_id_job_id_fkey FOREIGN KEY (workspace_id, job_id) REFERENCES stored_jobs(workspace_id, job_id) ON DELETE CASCADE
);
CREATE INDEX exception_job_rows_by_reason ON exception_job_rows USING btree (workspace_id, job_id, reason);
ALTER TABLE exception_job_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY exception_job_rows_of_owner ON exception_job_rows TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY exception_job_rows_of_workspace ON exception_job_rows TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON exception_job_rows TO commissions_app;

CREATE TABLE accounting_entities (
  workspace_id uuid NOT NULL,
  code text NOT NULL,
  name text NOT NULL,
  currency text NOT NULL,
  payroll_tax jsonb NOT NULL DEFAULT '[]'::jsonb,
  accounts jsonb NOT NULL DEFAULT '{}'::jsonb,
  stored_at timestamp with time zone NOT NULL,
  version integer NOT NULL,
  framework text NOT NULL DEFAULT 'us_gaap'::text,
  CONSTRAINT accounting_entities_pkey PRIMARY KEY (workspace_id, code, version),
  CONSTRAINT accounting_entities_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_entities_code_check CHECK ((code ~ '^[a-z0-9_-]{1,30}$'::text)),
  CONSTRAINT accounting_entities_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT accounting_entities_framework_check CHECK ((framework = ANY (ARRAY['us_gaap'::text, 'ifrs'::text, 'frs102'::text]))),
  CONSTRAINT accounting_entities_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT accounting_entities_version_check CHECK ((version > 0))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_entities FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON accounting_entities FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('code', '', 'version,stored_at');
ALTER TABLE accounting_entities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_entities_of_owner ON accounting_entities TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_entities_of_workspace ON accounting_entities TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_entities TO commissions_app;

CREATE TABLE accounting_policies (
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  version integer NOT NULL,
  terms jsonb NOT NULL,
  status text NOT NULL,
  proposed_by text NOT NULL,
  proposed_by_id uuid,
  proposed_at timestamp with time zone NOT NULL,
  decided_by text,
  decided_at timestamp with time zone,
  CONSTRAINT accounting_policies_pkey PRIMARY KEY (workspace_id, name, version),
  CONSTRAINT accounting_policies_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_policies_check CHECK (((status = 'proposed'::text) = (decided_at IS NULL))),
  CONSTRAINT accounting_policies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT accounting_policies_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'approved'::text, 'withdrawn'::text]))),
  CONSTRAINT accounting_policies_version_check CHECK ((version > 0))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_policies FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE accounting_policies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_policies_of_owner ON accounting_policies TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_policies_of_workspace ON accounting_policies TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON accounting_policies TO commissions_app;

CREATE TABLE accounting_preparations (
  workspace_id uuid NOT NULL,
  month text NOT NULL,
  hash text NOT NULL,
  totals jsonb NOT NULL,
  actor text NOT NULL,
  author_id uuid,
  prepared_at timestamp with time zone NOT NULL,
  CONSTRAINT accounting_preparations_pkey PRIMARY KEY (workspace_id, month),
  CONSTRAINT accounting_preparations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE accounting_preparations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_preparations_of_owner ON accounting_preparations TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_preparations_of_workspace ON accounting_preparations TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON accounting_preparations TO commissions_app;

CREATE TABLE accounting_closings (
  workspace_id uuid NOT NULL,
  month text NOT NULL,
  version smallint NOT NULL,
  is_opening boolean NOT NULL DEFAULT false,
  hash text NOT NULL,
  content jsonb NOT NULL,
  prepared_by text NOT NULL,
  closed_by text NOT NULL,
  closed_by_id uuid,
  closed_at timestamp with time zone NOT NULL,
  reopen_reason text,
  reopen_requested_by text,
  reopen_requested_by_id uuid,
  reopen_requested_at timestamp with time zone,
  reopened_by text,
  reopened_at timestamp with time zone,
  posted_by text,
  posted_at timestamp with time zone,
  posted_reference text,
  CONSTRAINT accounting_closings_pkey PRIMARY KEY (workspace_id, month, version),
  CONSTRAINT accounting_closings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_closings_month_check CHECK ((month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$'::text)),
  CONSTRAINT accounting_closings_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX accounting_closings_closed ON accounting_closings USING btree (workspace_id, month) WHERE (reopened_at IS NULL);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_closings FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE accounting_closings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_closings_of_owner ON accounting_closings TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_closings_of_workspace ON accounting_closings TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON accounting_closings TO commissions_app;

CREATE TABLE accounting_lines (
  workspace_id uuid NOT NULL,
  month text NOT NULL,
  version smallint NOT NULL,
  line_id text NOT NULL,
  entity text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,
  ref text NOT NULL,
  source text NOT NULL,
  account text NOT NULL,
  rep_id uuid NOT NULL,
  currency text NOT NULL,
  amount numeric NOT NULL,
  value numeric NOT NULL,
  late boolean NOT NULL,
  deal_id text,
  plan_id uuid,
  rule_name text,
  period text,
  batch_id uuid,
  draw_id uuid,
  CONSTRAINT accounting_lines_pkey PRIMARY KEY (workspace_id, month, version, line_id),
  CONSTRAINT accounting_lines_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
CREATE INDEX accounting_lines_of_rep ON accounting_lines USING btree (workspace_id, rep_id);
ALTER TABLE accounting_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_lines_of_owner ON accounting_lines TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_lines_of_workspace ON accounting_lines TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_lines TO commissions_app;

CREATE TABLE crm_connections (
  workspace_id uuid NOT NULL,
  provider text NOT NULL,
  connected_at timestamp with time zone,
  sync_enabled boolean NOT NULL DEFAULT true,
  account_id text,
  deal_url text,
  credentials bytea,
  connected_by text,
  broken_at timestamp with time zone,
  broken_reason text,
  webhook_id text,
  last_sync_at timestamp with time zone,
  polled_through timestamp with time zone,
  deletions_through timestamp with time zone,
  members_hash uuid,
  poll_due_at timestamp with time zone,
  poll_seconds integer,
  permissions jsonb,
  reconcile_rejected_at timestamp with time zone,
  settings jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT crm_connections_pkey PRIMARY KEY (workspace_id, provider),
  CONSTRAINT crm_connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT crm_connections_deal_url_check CHECK ((deal_url ~~ 'https://%{id}%'::text)),
  CONSTRAINT crm_connections_poll_seconds_check CHECK (((poll_seconds >= 60) AND (poll_seconds <= 86400))),
  CONSTRAINT crm_connections_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON crm_connections FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('provider', 'credentials', 'last_sync_at,polled_through,poll_due_at');
ALTER TABLE crm_connections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_connections_of_owner ON crm_connections TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_connections_of_workspace ON crm_connections TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_connections TO commissions_app;

CREATE TABLE crm_accounts (
  workspace_id uuid NOT NULL,
  provider text NOT NULL,
  account_id text NOT NULL,
  CONSTRAINT crm_accounts_pkey PRIMARY KEY (workspace_id, provider),
  CONSTRAINT crm_accounts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT crm_accounts_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
ALTER TABLE crm_accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_accounts_of_owner ON crm_accounts TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_accounts_of_workspace ON crm_accounts TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_accounts TO commissions_app;

CREATE TABLE crm_members (
  workspace_id uuid NOT NULL,
  crm_id text NOT NULL,
  provider text NOT NULL,
  rep_id uuid NOT NULL,
  active boolean NOT NULL DEFAULT true,
  CONSTRAINT crm_members_pkey PRIMARY KEY (workspace_id, crm_id, provider),
  CONSTRAINT crm_members_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT crm_members_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
ALTER TABLE crm_members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_members_of_owner ON crm_members TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_members_of_workspace ON crm_members TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_members TO commissions_app;

CREATE TABLE crm_fields (
  workspace_id uuid NOT NULL,
  provider text NOT NULL,
  slug text NOT NULL,
  position integer NOT NULL,
  label text NOT NULL,
  type text NOT NULL,
  options jsonb,
  CONSTRAINT crm_fields_pkey PRIMARY KEY (workspace_id, provider, slug),
  CONSTRAINT crm_fields_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
ALTER TABLE crm_fields ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_fields_of_owner ON crm_fields TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_fields_of_workspace ON crm_fields TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_fields TO commissions_app;

CREATE TABLE crm_sync_runs (
  workspace_id uuid NOT NULL,
  sync_run_id uuid NOT NULL,
  provider text NOT NULL,
  kind text NOT NULL,
  actor text NOT NULL,
  reconcile boolean NOT NULL DEFAULT false,
  recalculate boolean NOT NULL DEFAULT false,
  replaces boolean NOT NULL DEFAULT false,
  awaited boolean NOT NULL DEFAULT false,
  phase text NOT NULL DEFAULT 'people'::text,
  modified_from timestamp with time zone,
  deleted_from timestamp with time zone,
  covered_until timestamp with time zone,
  cursor text,
  deals integer NOT NULL DEFAULT 0,
  total integer,
  counts jsonb NOT NULL DEFAULT '{}'::jsonb,
  skipped_deals jsonb NOT NULL DEFAULT '[]'::jsonb,
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  restarts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT crm_sync_runs_pkey PRIMARY KEY (workspace_id, sync_run_id),
  CONSTRAINT crm_sync_runs_kind_check CHECK ((kind = ANY (ARRAY['sync'::text, 'poll'::text]))),
  CONSTRAINT crm_sync_runs_phase_check CHECK ((phase = ANY (ARRAY['people'::text, 'fields'::text, 'deals'::text, 'missing'::text, 'finish'::text]))),
  CONSTRAINT crm_sync_runs_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
CREATE UNIQUE INDEX crm_sync_runs_one_of_kind ON crm_sync_runs USING btree (workspace_id, provider, kind);
ALTER TABLE crm_sync_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_sync_runs_of_owner ON crm_sync_runs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_sync_runs_of_workspace ON crm_sync_runs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_sync_runs TO commissions_app;

CREATE TABLE crm_sync_run_deals (
  workspace_id uuid NOT NULL,
  sync_run_id uuid NOT NULL,
  deal_id text NOT NULL,
  outcome text NOT NULL,
  is_skipped boolean NOT NULL,
  listing integer NOT NULL,
  CONSTRAINT crm_sync_run_deals_pkey PRIMARY KEY (workspace_id, sync_run_id, deal_id),
  CONSTRAINT crm_sync_run_deals_workspace_id_sync_run_id_fkey FOREIGN KEY (workspace_id, sync_run_id) REFERENCES crm_sync_runs(workspace_id, sync_run_id) ON DELETE CASCADE
);
ALTER TABLE crm_sync_run_deals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_sync_run_deals_of_owner ON crm_sync_run_deals TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_sync_run_deals_of_workspace ON crm_sync_run_deals TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_sync_run_deals TO commissions_app;

CREATE TABLE crm_syncs (
  workspace_id uuid NOT NULL,
  sync_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  provider text NOT NULL,
  kind text NOT NULL,
  actor text NOT NULL,
  status text NOT NULL,
  failure text,
  error text,
  deals integer NOT NULL,
  counts jsonb NOT NULL,
  skipped_deals jsonb NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT crm_syncs_pkey PRIMARY KEY (workspace_id, sync_id),
  CONSTRAINT crm_syncs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT crm_syncs_kind_check CHECK ((kind = ANY (ARRAY['sync'::text, 'poll'::text]))),
  CONSTRAINT crm_syncs_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text]))),
  CONSTRAINT crm_syncs_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text])))
);
CREATE INDEX crm_syncs_by_position ON crm_syncs USING btree (workspace_id, provider, "position");
ALTER TABLE crm_syncs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_syncs_of_owner ON crm_syncs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_syncs_of_workspace ON crm_syncs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_syncs TO commissions_app;

CREATE TABLE crm_write_backs (
  workspace_id uuid NOT NULL,
  provider text NOT NULL,
  targets jsonb NOT NULL,
  checked_at timestamp with time zone,
  findings jsonb NOT NULL DEFAULT '[]'::jsonb,
  properties text[] NOT NULL DEFAULT '{}'::text[],
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT now(),
  error text,
  written_at timestamp with time zone,
  CONSTRAINT crm_write_backs_pkey PRIMARY KEY (workspace_id, provider),
  CONSTRAINT crm_write_backs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT crm_write_backs_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
ALTER TABLE crm_write_backs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY crm_write_backs_of_owner ON crm_write_backs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY crm_write_backs_of_workspace ON crm_write_backs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON crm_write_backs TO commissions_app;

CREATE TABLE deal_write_backs (
  workspace_id uuid NOT NULL,
  deal_id text NOT NULL,
  provider text NOT NULL,
  desired jsonb NOT NULL,
  written jsonb,
  due_at timestamp with time zone,
  sent_at timestamp with time zone,
  written_at timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  error text,
  failed_at timestamp with time zone,
  CONSTRAINT deal_write_backs_pkey PRIMARY KEY (workspace_id, deal_id),
  CONSTRAINT deal_write_backs_provider_check CHECK ((provider = ANY (ARRAY['crma'::text, 'crmb'::text, 'crmc'::text])))
);
CREATE INDEX deal_write_backs_due ON deal_write_backs USING btree (workspace_id, provider, due_at, deal_id) WHERE (due_at IS NOT NULL);
CREATE INDEX deal_write_backs_failed ON deal_write_backs USING btree (workspace_id, provider, failed_at, deal_id) WHERE (failed_at IS NOT NULL);
ALTER TABLE deal_write_backs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY deal_write_backs_of_owner ON deal_write_backs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY deal_write_backs_of_workspace ON deal_write_backs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON deal_write_backs TO commissions_app;

CREATE TABLE imported_facts (
  workspace_id uuid NOT NULL,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  position integer NOT NULL,
  row integer NOT NULL,
  rep_id uuid,
  before jsonb,
  after jsonb,
  CONSTRAINT imported_facts_pkey PRIMARY KEY (workspace_id, imported_at, "position"),
  CONSTRAINT imported_facts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT imported_facts_check CHECK (((before IS NOT NULL) OR (after IS NOT NULL)))
);
CREATE INDEX imported_facts_of_reps ON imported_facts USING btree (workspace_id, rep_id) WHERE (rep_id IS NOT NULL);
ALTER TABLE imported_facts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY imported_facts_of_owner ON imported_facts TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY imported_facts_of_workspace ON imported_facts TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON imported_facts TO commissions_app;

CREATE TABLE scheduled_imports (
  workspace_id uuid NOT NULL,
  scheduled_import_id uuid NOT NULL,
  name text NOT NULL,
  subject text NOT NULL,
  source jsonb NOT NULL,
  secret bytea,
  options jsonb NOT NULL,
  every text NOT NULL,
  at_time time without time zone NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  revision uuid NOT NULL,
  confirmed_header text[],
  confirmed_by uuid,
  confirmed_at timestamp with time zone,
  next_run_at timestamp with time zone NOT NULL,
  requests integer NOT NULL DEFAULT 0,
  handled_requests integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_run_at timestamp with time zone,
  error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT scheduled_imports_pkey PRIMARY KEY (workspace_id, scheduled_import_id),
  CONSTRAINT scheduled_imports_every_check CHECK ((every = ANY (ARRAY['hour'::text, 'day'::text]))),
  CONSTRAINT scheduled_imports_subject_check CHECK ((subject = ANY (ARRAY['deals'::text, 'people'::text, 'quotas'::text, 'invoices'::text])))
);
ALTER TABLE scheduled_imports ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scheduled_imports_of_owner ON scheduled_imports TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY scheduled_imports_of_workspace ON scheduled_imports TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON scheduled_imports TO commissions_app;

CREATE TABLE scheduled_import_files (
  workspace_id uuid NOT NULL,
  scheduled_import_id uuid NOT NULL,
  file_id uuid NOT NULL,
  name text NOT NULL,
  version text,
  hash text NOT NULL,
  bytes integer NOT NULL,
  status text NOT NULL,
  sample jsonb NOT NULL,
  result jsonb,
  error text,
  import_id uuid,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT scheduled_import_files_pkey PRIMARY KEY (workspace_id, scheduled_import_id, file_id),
  CONSTRAINT scheduled_import_files_workspace_id_scheduled_import_id_nam_key UNIQUE (workspace_id, scheduled_import_id, name, hash),
  CONSTRAINT scheduled_import_files_workspace_id_scheduled_import_id_fkey FOREIGN KEY (workspace_id, scheduled_import_id) REFERENCES scheduled_imports(workspace_id, scheduled_import_id) ON DELETE CASCADE,
  CONSTRAINT scheduled_import_files_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'imported'::text, 'failed'::text])))
);
CREATE INDEX scheduled_import_files_latest ON scheduled_import_files USING btree (workspace_id, scheduled_import_id, at DESC, file_id);
ALTER TABLE scheduled_import_files ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scheduled_import_files_of_owner ON scheduled_import_files TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY scheduled_import_files_of_workspace ON scheduled_import_files TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON scheduled_import_files TO commissions_app;

CREATE TABLE billing_customers (
  workspace_id uuid NOT NULL,
  customer_id text NOT NULL,
  linked_at timestamp with time zone NOT NULL DEFAULT now(),
  check_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT billing_customers_pkey PRIMARY KEY (workspace_id, customer_id),
  CONSTRAINT billing_customers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT billing_customers_customer_id_check CHECK (((length(customer_id) >= 1) AND (length(customer_id) <= 255)))
);
ALTER TABLE billing_customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY billing_customers_of_owner ON billing_customers TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY billing_customers_of_workspace ON billing_customers TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON billing_customers TO commissions_app;

CREATE TABLE billing_subscriptions (
  workspace_id uuid NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  status text NOT NULL,
  tier text,
  seats integer,
  past_due_since timestamp with time zone,
  fetched_at timestamp with time zone NOT NULL,
  CONSTRAINT billing_subscriptions_pkey PRIMARY KEY (workspace_id, customer_id, subscription_id),
  CONSTRAINT billing_subscriptions_workspace_id_customer_id_fkey FOREIGN KEY (workspace_id, customer_id) REFERENCES billing_customers(workspace_id, customer_id) ON DELETE CASCADE,
  CONSTRAINT billing_subscriptions_seats_check CHECK ((seats >= 0)),
  CONSTRAINT billing_subscriptions_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'pro'::text, 'enterprise'::text])))
);
ALTER TABLE billing_subscriptions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY billing_subscriptions_of_owner ON billing_subscriptions TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY billing_subscriptions_of_workspace ON billing_subscriptions TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON billing_subscriptions TO commissions_app;

CREATE TABLE billing_bindings (
  workspace_id uuid NOT NULL,
  subscription_id text NOT NULL,
  bound_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT billing_bindings_pkey PRIMARY KEY (workspace_id, subscription_id),
  CONSTRAINT billing_bindings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT billing_bindings_subscription_id_check CHECK (((length(subscription_id) >= 1) AND (length(subscription_id) <= 255)))
);
CREATE INDEX billing_bindings_by_subscription ON billing_bindings USING btree (subscription_id);
ALTER TABLE billing_bindings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY billing_bindings_of_owner ON billing_bindings TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY billing_bindings_of_workspace ON billing_bindings TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON billing_bindings TO commissions_app;

CREATE TABLE billing_unmatched (
  event_id text NOT NULL,
  customer_id text NOT NULL,
  reference text,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT billing_unmatched_pkey PRIMARY KEY (event_id)
);
ALTER TABLE billing_unmatched ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY billing_unmatched_of_owner ON billing_unmatched TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE billing_recovery (
  one boolean NOT NULL DEFAULT true,
  recovered_through timestamp with time zone,
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  CONSTRAINT billing_recovery_pkey PRIMARY KEY (one),
  CONSTRAINT billing_recovery_one_check CHECK (one)
);
ALTER TABLE billing_recovery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY billing_recovery_of_owner ON billing_recovery TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));

CREATE TABLE holidays (
  workspace_id uuid NOT NULL,
  day date NOT NULL,
  name text NOT NULL,
  CONSTRAINT holidays_pkey PRIMARY KEY (workspace_id, day),
  CONSTRAINT holidays_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT holidays_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON holidays FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON holidays FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('day', 'name', '');
ALTER TABLE holidays ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY holidays_of_owner ON holidays TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY holidays_of_workspace ON holidays TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON holidays TO commissions_app;

CREATE TABLE person_values (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  slug text NOT NULL,
  dated_values jsonb NOT NULL,
  CONSTRAINT person_values_pkey PRIMARY KEY (workspace_id, rep_id, slug),
  CONSTRAINT person_values_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT person_values_dated_values_check CHECK ((jsonb_typeof(dated_values) = 'array'::text)),
  CONSTRAINT person_values_slug_check CHECK (((length(slug) >= 1) AND (length(slug) <= 50)))
);
CREATE TRIGGER bump_configuration_revision AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON person_values FOR EACH STATEMENT EXECUTE FUNCTION bump_configuration_revision();
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON person_values FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON person_values FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('rep_id,slug', 'dated_values', '');
ALTER TABLE person_values ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY person_values_of_owner ON person_values TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY person_values_of_workspace ON person_values TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON person_values TO commissions_app;

CREATE TABLE visits (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  since timestamp with time zone,
  visited_at timestamp with time zone NOT NULL,
  CONSTRAINT visits_pkey PRIMARY KEY (workspace_id, rep_id),
  CONSTRAINT visits_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE
);
ALTER TABLE visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY visits_of_owner ON visits TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY visits_of_workspace ON visits TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON visits TO commissions_app;

CREATE TABLE rep_digests (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  week date NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT rep_digests_pkey PRIMARY KEY (workspace_id, rep_id),
  CONSTRAINT rep_digests_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id) ON DELETE CASCADE
);
ALTER TABLE rep_digests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rep_digests_of_owner ON rep_digests TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY rep_digests_of_workspace ON rep_digests TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON rep_digests TO commissions_app;

CREATE TABLE accounting_rep_entities (
  workspace_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  version integer NOT NULL,
  entities jsonb NOT NULL,
  stored_at timestamp with time zone NOT NULL,
  CONSTRAINT accounting_rep_entities_pkey PRIMARY KEY (workspace_id, rep_id, version),
  CONSTRAINT accounting_rep_entities_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_rep_entities_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT accounting_rep_entities_version_check CHECK ((version > 0))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_rep_entities FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE accounting_rep_entities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_rep_entities_of_owner ON accounting_rep_entities TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_rep_entities_of_workspace ON accounting_rep_entities TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_rep_entities TO commissions_app;

CREATE TABLE accounting_write_offs (
  workspace_id uuid NOT NULL,
  write_off_id uuid NOT NULL,
  rep_id uuid NOT NULL,
  entity text NOT NULL,
  currency text NOT NULL,
  amount numeric NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  proposed_by text NOT NULL,
  proposed_by_id uuid,
  proposed_at timestamp with time zone NOT NULL,
  decided_by text,
  decided_at timestamp with time zone,
  CONSTRAINT accounting_write_offs_pkey PRIMARY KEY (workspace_id, write_off_id),
  CONSTRAINT accounting_write_offs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_write_offs_workspace_id_rep_id_fkey FOREIGN KEY (workspace_id, rep_id) REFERENCES reps(workspace_id, rep_id),
  CONSTRAINT accounting_write_offs_amount_check CHECK ((amount > (0)::numeric)),
  CONSTRAINT accounting_write_offs_check CHECK (((status = 'proposed'::text) = (decided_at IS NULL))),
  CONSTRAINT accounting_write_offs_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  CONSTRAINT accounting_write_offs_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'approved'::text, 'withdrawn'::text])))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_write_offs FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE accounting_write_offs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_write_offs_of_owner ON accounting_write_offs TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_write_offs_of_workspace ON accounting_write_offs TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT DELETE, INSERT, SELECT, UPDATE ON accounting_write_offs TO commissions_app;

CREATE TABLE accounting_estimates (
  workspace_id uuid NOT NULL,
  month text NOT NULL,
  version integer NOT NULL,
  estimates jsonb NOT NULL,
  stored_at timestamp with time zone NOT NULL,
  CONSTRAINT accounting_estimates_pkey PRIMARY KEY (workspace_id, month, version),
  CONSTRAINT accounting_estimates_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_estimates_month_check CHECK ((month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$'::text)),
  CONSTRAINT accounting_estimates_version_check CHECK ((version > 0))
);
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_estimates FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
ALTER TABLE accounting_estimates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_estimates_of_owner ON accounting_estimates TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_estimates_of_workspace ON accounting_estimates TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_estimates TO commissions_app;

CREATE TABLE accounting_lots (
  workspace_id uuid NOT NULL,
  month text NOT NULL,
  version smallint NOT NULL,
  entity text NOT NULL,
  rep_id uuid NOT NULL,
  lot_key text NOT NULL,
  content jsonb NOT NULL,
  CONSTRAINT accounting_lots_pkey PRIMARY KEY (workspace_id, rep_id, lot_key, entity, month, version),
  CONSTRAINT accounting_lots_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id)
);
ALTER TABLE accounting_lots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_lots_of_owner ON accounting_lots TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_lots_of_workspace ON accounting_lots TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_lots TO commissions_app;

CREATE TABLE accounting_facts (
  workspace_id uuid NOT NULL,
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  deal_id text NOT NULL,
  name text NOT NULL,
  content jsonb,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT accounting_facts_pkey PRIMARY KEY (workspace_id, kind, deal_id, name, "position"),
  CONSTRAINT accounting_facts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id),
  CONSTRAINT accounting_facts_kind_check CHECK ((kind = ANY (ARRAY['contract'::text, 'impairment'::text, 'opening_lot'::text])))
);
CREATE INDEX accounting_facts_of_rep ON accounting_facts USING btree (workspace_id, kind, ((content ->> 'repId'::text)));
CREATE TRIGGER bump_workspace_cache_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON accounting_facts FOR EACH STATEMENT EXECUTE FUNCTION bump_workspace_cache_version();
CREATE TRIGGER record_row_change AFTER INSERT OR DELETE OR UPDATE ON accounting_facts FOR EACH ROW WHEN ((current_setting('app.records_changes'::text, true) = 'on'::text)) EXECUTE FUNCTION record_row_change('kind,deal_id,name', '', 'changed_at');
ALTER TABLE accounting_facts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounting_facts_of_owner ON accounting_facts TO CURRENT_USER USING (((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text)));
CREATE POLICY accounting_facts_of_workspace ON accounting_facts TO commissions_app USING ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
GRANT INSERT, SELECT ON accounting_facts TO commissions_app;

CREATE VIEW deal_versions WITH (security_invoker=true) AS
 SELECT deal_snapshots.workspace_id,
    deal_snapshots.deal_id,
    deal_snapshots.snapshot_id,
    deal_snapshots.taken_at,
    deal_snapshots.source_updated_at,
    deal_snapshots.provider,
    deal_snapshots.fields,
    deal_snapshots.given,
    deal_snapshots.deleted
   FROM deal_snapshots
UNION ALL
 SELECT deals.workspace_id,
    deals.deal_id,
    NULL::bigint AS snapshot_id,
    deals.snapshot_at AS taken_at,
    deals.source_updated_at,
    deals.provider,
    deals.fields,
    deals.given,
    (deals.deleted_at IS NOT NULL) AS deleted
   FROM deals;
GRANT SELECT ON deal_versions TO commissions_app;

CREATE OR REPLACE FUNCTION admit_callers(hashes bytea[], requested integer[], with_cache_versions boolean[], max_requests integer)
 RETURNS TABLE(hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean, created_by uuid, scopes text[], agent jsonb, is_agent boolean, admitted integer, remaining integer, reset_second bigint, now_second double precision, cache_versions text, team uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    #variable_conflict use_column
    declare
      i integer;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent, is_agent in
        select * from find_tokens(hashes)
      loop
        i := array_position(hashes, hash);
        if max_requests is not null then
          select c.admitted, c.remaining, c.reset_second, c.now_second
          into admitted, remaining, reset_second, now_second
          from count_requests(array[workspace_id], array[coalesce((agent ->> 'connectionId')::uuid, token_id)],
            requested[i : i], array[max_requests], array[null::timestamptz]) c;
        end if;
        cache_versions := case when with_cache_versions[i] then cache_versions_of(workspace_id) end;
        team := case when kind in ('sess', 'agt') and role = 'manager' then visible_team(workspace_id, rep_id) end;
        return next;
      end loop;
    end $function$
;
GRANT EXECUTE ON FUNCTION admit_callers(bytea[],integer[],boolean[],integer) TO commissions_app;

CREATE OR REPLACE FUNCTION adopt_database()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      here bigint := (select system_identifier from pg_control_system());
    begin
      perform from database_identity where system_identifier = here;
      if found then
        return;
      end if;
      lock table database_identity in exclusive mode;
      alter table deals disable trigger user;
      update deals set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update commission_event_history set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update removed_rows set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      alter table deals enable trigger user;
      update database_identity set system_identifier = here;
    end $function$
;

CREATE OR REPLACE FUNCTION applied_migrations()
 RETURNS TABLE(name character varying)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select m.name from kysely_migration m
    $function$
;
GRANT EXECUTE ON FUNCTION applied_migrations() TO commissions_app;

CREATE OR REPLACE FUNCTION audit_work()
 RETURNS TABLE(kind text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      (select 'seal' from audit_entries where position is null and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) limit 1)
      union all
      (select 'record' from rejected_calls
        where minute < date_trunc('minute', now()) and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) limit 1)
    $function$
;
GRANT EXECUTE ON FUNCTION audit_work() TO commissions_app;

CREATE OR REPLACE FUNCTION audited_values(given jsonb, other jsonb, hidden text[], omitted text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
      select jsonb_object_agg(v.key, case
        when v.value = 'null' then v.value
        when v.key = any(hidden) then '"*"'
        when length(v.value::text) > 500
          then to_jsonb('sha256:' || encode(sha256(convert_to(v.value::text, 'UTF8')), 'hex'))
        else v.value end)
      from jsonb_each(given) v
      where v.key <> all(omitted) and (other is null or other -> v.key is distinct from v.value)
    $function$
;
GRANT EXECUTE ON FUNCTION audited_values(jsonb,jsonb,text[],text[]) TO PUBLIC;

CREATE OR REPLACE FUNCTION bound_elsewhere(subscriptions text[], workspace uuid)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select b.subscription_id from billing_bindings b
      where b.subscription_id = any(subscriptions) and b.workspace_id <> workspace
        and not exists (select from billing_bindings o
          where o.workspace_id = workspace and o.subscription_id = b.subscription_id)
    $function$
;
GRANT EXECUTE ON FUNCTION bound_elsewhere(text[],uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION bump_cache_versions(workspace uuid, scopes smallint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    begin
      insert into cache_versions (workspace_id, scope)
      select workspace, s from unnest(scopes) s order by s
      on conflict (workspace_id, scope) do update set version = gen_random_uuid();
    end $function$
;
GRANT EXECUTE ON FUNCTION bump_cache_versions(uuid,smallint[]) TO PUBLIC;

CREATE OR REPLACE FUNCTION bump_configuration_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update workspaces set configuration_revision = gen_random_uuid()
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION bump_configuration_revision() TO PUBLIC;

CREATE OR REPLACE FUNCTION bump_own_configuration_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.configuration_revision := gen_random_uuid();
      return new;
    end $function$
;
GRANT EXECUTE ON FUNCTION bump_own_configuration_revision() TO PUBLIC;

CREATE OR REPLACE FUNCTION bump_workspace_cache_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if coalesce(current_setting('app.declares_affected', true), '') <> 'on' then
        insert into cache_versions (workspace_id, scope)
        select w.workspace_id, 65 from workspaces w
        where w.workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, w.workspace_id)
        order by w.workspace_id
        on conflict (workspace_id, scope) do update set version = gen_random_uuid();
      end if;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION bump_workspace_cache_version() TO PUBLIC;

CREATE OR REPLACE FUNCTION cache_versions_of(workspace uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    begin
      return (
        select coalesce(string_agg(v.scope || ':' || v.version, ' ' order by v.scope), '')
        from cache_versions v where v.workspace_id = workspace
      );
    end $function$
;
GRANT EXECUTE ON FUNCTION cache_versions_of(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION calculation_backlog()
 RETURNS TABLE(requests bigint, oldest_seconds double precision, parked bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select count(*),
        coalesce(extract(epoch from clock_timestamp() - min(q.requested_at) filter (where l.parked_at is null
          and not exists (select from crm_sync_runs r
            where r.workspace_id = q.workspace_id and r.sync_run_id = q.sync_run_id))), 0)::float8,
        (select count(*) from lanes p where p.parked_at is not null)
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
    $function$
;
GRANT EXECUTE ON FUNCTION calculation_backlog() TO commissions_app;

CREATE OR REPLACE FUNCTION claim_billing_recovery(pause interval)
 RETURNS TABLE(recovered_through timestamp with time zone)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update billing_recovery r set claimed_until = now() + pause
      where r.claimed_until < now()
      returning r.recovered_through
    $function$
;
GRANT EXECUTE ON FUNCTION claim_billing_recovery(interval) TO commissions_app;

CREATE OR REPLACE FUNCTION claim_installation()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      insert into installation (operator_workspace_id) values (current_setting('app.workspace_id')::uuid)
      on conflict (singleton) do update set operator_workspace_id = excluded.operator_workspace_id
      where installation.operator_workspace_id is null
    $function$
;
GRANT EXECUTE ON FUNCTION claim_installation() TO commissions_app;

CREATE OR REPLACE FUNCTION complete_billing_recovery(through timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update billing_recovery set recovered_through = greatest(recovered_through, through)
    $function$
;
GRANT EXECUTE ON FUNCTION complete_billing_recovery(timestamp with time zone) TO commissions_app;

CREATE OR REPLACE FUNCTION configuration_revision_of(workspace uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    begin
      return (select w.configuration_revision from workspaces w where w.workspace_id = workspace);
    end $function$
;
GRANT EXECUTE ON FUNCTION configuration_revision_of(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION count_attempt(what text, window_seconds integer)
 RETURNS TABLE(attempts integer, seconds_left integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      insert into attempt_counters as c (counter_key, window_start, attempts)
      values (what, to_timestamp(floor(extract(epoch from now()) / window_seconds) * window_seconds), 1)
      on conflict (counter_key, window_start) do update set attempts = c.attempts + 1
      returning c.attempts,
        greatest(1, ceil(extract(epoch from c.window_start) + window_seconds - extract(epoch from now())))::integer
    $function$
;
GRANT EXECUTE ON FUNCTION count_attempt(text,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION count_requests(workspaces uuid[], tokens uuid[], requested integer[], max_requests integer[], at timestamp with time zone[])
 RETURNS TABLE(admitted integer, remaining integer, reset_second bigint, now_second double precision)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    declare
      none constant integer[] := array_fill(0, array[61]);
      this_second bigint;
      w rate_windows;
      used integer;
      oldest bigint;
    begin
      for i in 1 .. cardinality(tokens) loop
        now_second := extract(epoch from coalesce(at[i], clock_timestamp()));
        this_second := floor(now_second);
        select * into w from rate_windows r where r.workspace_id = workspaces[i] and r.token_id = tokens[i] for update;
        if not found then
          insert into rate_windows (workspace_id, token_id, second, counts)
          values (workspaces[i], tokens[i], this_second, none) on conflict do nothing;
          select * into w from rate_windows r where r.workspace_id = workspaces[i] and r.token_id = tokens[i] for update;
        end if;
        if this_second - w.second > 60 then
          w.counts := none;
        elsif this_second > w.second then
          w.counts := w.counts[1 + (this_second - w.second)::integer : 61] || none[1 : (this_second - w.second)::integer];
        end if;
        w.second := greatest(w.second, this_second);
        select sum(c), min(n) filter (where c > 0) into used, oldest from unnest(w.counts) with ordinality as u (c, n);
        admitted := least(requested[i], greatest(max_requests[i] - used, 0));
        w.counts[61] := w.counts[61] + admitted;
        update rate_windows r set second = w.second, counts = w.counts
        where r.workspace_id = workspaces[i] and r.token_id = tokens[i];
        remaining := greatest(max_requests[i] - used - admitted, 0);
        reset_second := w.second + coalesce(oldest, 61);
        return next;
      end loop;
    end $function$
;
GRANT EXECUTE ON FUNCTION count_requests(uuid[],uuid[],integer[],integer[],timestamp with time zone[]) TO commissions_app;

CREATE OR REPLACE FUNCTION delete_identity_provider(provider uuid)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with deleted as (delete from identity_providers p where p.provider_id = provider and is_operator() returning 1)
      select exists (select from deleted)
    $function$
;
GRANT EXECUTE ON FUNCTION delete_identity_provider(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION delete_mails_to(address text)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with deleted as (
        delete from mail_outbox m
        where m.workspace_id = current_setting('app.workspace_id')::uuid and m.recipient = address
        returning 1
      )
      select count(*)::integer from deleted
    $function$
;
GRANT EXECUTE ON FUNCTION delete_mails_to(text) TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_change_requests()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from change_requests where created_at < now() - interval '90 days' and status <> 'running'
        and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_change_requests() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_deliveries()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from webhook_previous_secrets where valid_until < now() and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      delete from webhook_deliveries where created_at < now() - interval '30 days' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_deliveries() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_messages()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from inbox where processed_at < now() - interval '30 days' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      delete from work_leases where leased_until < now() - interval '1 day' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_messages() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_request_data()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from idempotency_keys k using workspaces w
      where k.workspace_id = w.workspace_id and k.created_at < now() - interval '24 hours'
        and k.leased_until < now() and coalesce(k.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      delete from rate_windows where second < extract(epoch from now()) - 3600
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_request_data() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_sign_ins()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox m where m.created_at < now() - interval '7 days' and coalesce(m.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        and (m.sent_at is not null or not exists (
          select from reps r where r.workspace_id = m.workspace_id and r.invite_mail_id = m.mail_id));
      delete from mail_outbox where recipient is null and created_at < now() - interval '10 minutes'
        and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      delete from tokens where kind = 'sess' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and (expires_at < now()
        or coalesce(last_used_at, created_at) < now() - interval '12 hours' or created_at < now() - interval '30 days');
      delete from tokens where kind = 'agt' and expires_at < now() and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      delete from agent_grants where expires_at < now() and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      -- a connection whose refresh tokens have all expired
      delete from agent_connections c where coalesce(c.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and not exists (
        select from agent_grants g where g.workspace_id = c.workspace_id and g.connection_id = c.connection_id);
      delete from agent_clients where coalesce(used_at, created_at) < now() - case when used_at is null
        then interval '75 minutes' else interval '90 days' end;
    end $function$
;
GRANT EXECUTE ON FUNCTION delete_old_sign_ins() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_stored_jobs()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from stored_jobs
      where coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and (finished_at < now() - lifetime
        or kind in ('export', 'preview') and started_at < now() - interval '1 day')
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_stored_jobs() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_syncs()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from crm_syncs where coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and (ended_at < now() - interval '90 days'
        or (kind = 'poll' and status = 'completed' and deals = 0 and ended_at < now() - interval '1 day'))
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_syncs() TO commissions_app;

CREATE OR REPLACE FUNCTION delete_old_uses()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from limited_uses where used_at < now() - interval '1 day' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION delete_old_uses() TO commissions_app;

CREATE OR REPLACE FUNCTION directory_delete_old()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      delete from directory_keys k where k.kind = 'token' and k.noted_at < now() - interval '30 days'
    $function$
;
GRANT EXECUTE ON FUNCTION directory_delete_old() TO commissions_app;

CREATE OR REPLACE FUNCTION directory_find(of_kind text, hash bytea)
 RETURNS TABLE(workspace uuid, shard text, is_moving boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select k.workspace, w.shard, w.is_moving
      from directory_keys k join directory_workspaces w on w.workspace = k.workspace
      where k.kind = of_kind and k.key_hash = hash
      order by k.noted_at, k.workspace
    $function$
;
GRANT EXECUTE ON FUNCTION directory_find(text,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION directory_note(of_kind text, hash bytea, of_workspace uuid, in_shard text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if hash is not null then
        insert into directory_keys (kind, key_hash, workspace) values (of_kind, hash, of_workspace)
        on conflict do nothing;
      end if;
    end $function$
;
GRANT EXECUTE ON FUNCTION directory_note(text,bytea,uuid,text) TO commissions_app;

CREATE OR REPLACE FUNCTION directory_place(of_workspace uuid)
 RETURNS TABLE(shard text, is_moving boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.shard, w.is_moving from directory_workspaces w where w.workspace = of_workspace
    $function$
;
GRANT EXECUTE ON FUNCTION directory_place(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION directory_replace(of_kind text, of_workspace uuid, in_shard text, hashes bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if not exists (select from directory_workspaces w where w.workspace = of_workspace and w.shard = in_shard) then
        return;
      end if;
      delete from directory_keys k
      where k.workspace = of_workspace and k.kind = of_kind and k.key_hash <> all(hashes);
      insert into directory_keys (kind, key_hash, workspace)
      select of_kind, h, of_workspace from unnest(hashes) h order by h
      on conflict do nothing;
    end $function$
;
GRANT EXECUTE ON FUNCTION directory_replace(text,uuid,text,bytea[]) TO commissions_app;

CREATE OR REPLACE FUNCTION due_billing_checks(max_customers integer)
 RETURNS TABLE(workspace_id uuid, customer_id text, check_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select c.workspace_id, c.customer_id, c.check_at from billing_customers c
      where c.check_at <= now() and coalesce(c.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
      order by c.check_at limit max_customers
    $function$
;
GRANT EXECUTE ON FUNCTION due_billing_checks(integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_inboxes(older_than interval)
 RETURNS TABLE(workspace_id uuid, source text, generation integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select due.workspace_id, due.source, coalesce(l.generation, 0)
      from (
        select i.workspace_id, i.source from inbox i
        where i.processed_at is null and i.not_before <= now() and i.received_at < now() - older_than
          and coalesce(i.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        group by i.workspace_id, i.source
      ) due
      left join work_leases l on l.workspace_id = due.workspace_id and l.work = 'inbox ' || due.source
      where l.leased_until is null or l.leased_until < now()
    $function$
;
GRANT EXECUTE ON FUNCTION due_inboxes(interval) TO commissions_app;

CREATE OR REPLACE FUNCTION due_lanes(older_than interval, max_lanes integer)
 RETURNS TABLE(workspace_id uuid, rep_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
AS $function$
    #variable_conflict use_column
    declare
      before timestamptz := now() - older_than;
      waiting uuid[];
      lanes_of_each integer;
      due_workspaces uuid[];
      due_reps uuid[];
    begin
      with recursive w as (
        (select q.workspace_id from calculation_requests q order by q.workspace_id limit 1)
        union all
        select (select q.workspace_id from calculation_requests q where q.workspace_id > w.workspace_id
          order by q.workspace_id limit 1)
        from w where w.workspace_id is not null
      )
      select array_agg(w.workspace_id) into waiting from w
      where w.workspace_id is not null and coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      if waiting is null then
        return;
      end if;
      lanes_of_each := ceil(max_lanes::numeric / cardinality(waiting));
      loop
        select array_agg(due.workspace_id order by due.turn), array_agg(due.rep_id order by due.turn)
          into due_workspaces, due_reps
          from unnest(waiting) w(workspace_id), lateral (
            select q.workspace_id, q.rep_id, row_number() over (order by q.request_id) as turn
            from calculation_requests q
            left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
            where q.workspace_id = w.workspace_id and q.requested_at < before and l.parked_at is null
              and (l.not_before is null or l.not_before <= now())
              and not exists (select from crm_sync_runs r
                where r.workspace_id = q.workspace_id and r.sync_run_id = q.sync_run_id and r.failing_since is null)
              -- The first one of the rep. Only the primary key has this order: with an equality, a table that was
              -- vacuumed while many rows were inserted reads all older requests for each (9 s for 50,000).
              and q.request_id = (select e.request_id from calculation_requests e
                where e.workspace_id = q.workspace_id and e.rep_id >= q.rep_id
                  and e.requested_at < before and not exists (select from crm_sync_runs r
                    where r.workspace_id = e.workspace_id and r.sync_run_id = e.sync_run_id and r.failing_since is null)
                order by e.rep_id, e.request_id limit 1)
            order by q.request_id
            limit lanes_of_each
          ) due;
        exit when lanes_of_each >= max_lanes or cardinality(due_reps) >= max_lanes;
        lanes_of_each := least(max_lanes, lanes_of_each * 8);
      end loop;
      return query select u.w, u.r from unnest(due_workspaces, due_reps) u(w, r) limit max_lanes;
    end $function$
;
GRANT EXECUTE ON FUNCTION due_lanes(interval,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_mails(max_mails integer)
 RETURNS TABLE(mail_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select m.mail_id from mail_outbox m
      where m.sent_at is null and m.not_before < now() - interval '2 seconds' and m.attempts < 8
        and (m.expires_at is null or m.expires_at > now()) and coalesce(m.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
      order by m.not_before
      limit max_mails
    $function$
;
GRANT EXECUTE ON FUNCTION due_mails(integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_period_checks(older_than interval, max_reps integer)
 RETURNS TABLE(workspace_id uuid, rep_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select due.workspace_id, due.rep_id
      from (
        select c.workspace_id, c.rep_id, row_number() over (partition by c.workspace_id order by min(c.check_id)) as turn
        from period_checks c
        where c.not_before < now() - older_than and coalesce(c.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        group by c.workspace_id, c.rep_id
      ) due
      order by due.turn
      limit max_reps
    $function$
;
GRANT EXECUTE ON FUNCTION due_period_checks(interval,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_polls(providers text[])
 RETURNS TABLE(workspace_id uuid, provider text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select c.workspace_id, c.provider from crm_connections c
      where c.provider = any(providers) and c.connected_at is not null and c.credentials is not null and c.sync_enabled
        and c.broken_at is null and (c.poll_due_at is null or c.poll_due_at <= now()) and coalesce(c.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        and not exists (select from crm_sync_runs r
          where r.workspace_id = c.workspace_id and r.provider = c.provider and r.kind = 'poll')
    $function$
;
GRANT EXECUTE ON FUNCTION due_polls(text[]) TO commissions_app;

CREATE OR REPLACE FUNCTION due_scheduled_imports(max_imports integer, max_of_workspace integer)
 RETURNS TABLE(workspace_id uuid, scheduled_import_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with running as materialized (
        select l.workspace_id, l.work from work_leases l
        where l.work like 'scheduled import %' and l.leased_until > now()
      ), due as (
        select s.workspace_id, s.scheduled_import_id, s.last_run_at, s.next_run_at,
          row_number() over (
            partition by s.workspace_id order by s.last_run_at nulls first, s.next_run_at, s.scheduled_import_id) as turn
        from scheduled_imports s
        where not s.paused and (s.next_run_at <= now() or s.requests > s.handled_requests)
          and coalesce(s.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
          and not exists (
            select from running r
            where r.workspace_id = s.workspace_id and r.work = 'scheduled import ' || s.scheduled_import_id)
      )
      select due.workspace_id, due.scheduled_import_id from due
      where due.turn <= max_of_workspace - (select count(*) from running r where r.workspace_id = due.workspace_id)
      order by due.turn, due.last_run_at nulls first, due.next_run_at
      limit max_imports
    $function$
;
GRANT EXECUTE ON FUNCTION due_scheduled_imports(integer,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_stored_jobs(kind_of_job text, max_jobs integer, max_of_workspace integer)
 RETURNS TABLE(workspace_id uuid, job_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select due.workspace_id, due.job_id
      from (
        select j.workspace_id, j.job_id, j.not_before, j.is_leased,
          row_number() over (
            partition by j.workspace_id order by j.is_leased desc, j.total > 1, j.not_before) as turn
        from (
          select j.*, exists (
            select from work_leases l
            where l.workspace_id = j.workspace_id and l.work = kind_of_job || ' ' || j.job_id and l.leased_until > now()
          ) as is_leased
          from stored_jobs j
          where j.kind = kind_of_job and j.finished_at is null and j.not_before <= now()
            and coalesce(j.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        ) j
      ) due
      where not due.is_leased and due.turn <= max_of_workspace
      order by due.turn, due.not_before
      limit max_jobs
    $function$
;
GRANT EXECUTE ON FUNCTION due_stored_jobs(text,integer,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_sync_runs()
 RETURNS TABLE(workspace_id uuid, sync_run_id uuid, generation integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select r.workspace_id, r.sync_run_id, coalesce(l.generation, 0)
      from crm_sync_runs r
      left join work_leases l on l.workspace_id = r.workspace_id and l.work = 'sync run ' || r.sync_run_id
      where r.not_before <= now() and (l.leased_until is null or l.leased_until < now())
        and coalesce(r.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION due_sync_runs() TO commissions_app;

CREATE OR REPLACE FUNCTION due_webhook_endpoints(max_endpoints integer, max_of_workspace integer)
 RETURNS TABLE(workspace_id uuid, endpoint_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
      with sending as materialized (
        select l.workspace_id, l.work from work_leases l where l.work like 'webhook %' and l.leased_until > now()
      ), due as (
        select e.workspace_id, e.endpoint_id, e.attempted_at,
          row_number() over (partition by e.workspace_id order by e.attempted_at nulls first, e.endpoint_id) as turn
        from webhook_endpoints e
        where e.enabled and e.not_before <= now() and coalesce(e.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and exists (
          with recursive head as (
            (select d.sequence_id, d.not_before from webhook_deliveries d
              where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
              order by d.sequence_id, d.position limit 1)
            union all
            select next.sequence_id, next.not_before from head, lateral (
              select d.sequence_id, d.not_before from webhook_deliveries d
              where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
                and d.sequence_id > head.sequence_id
              order by d.sequence_id, d.position limit 1) next
          )
          select from head where e.failures > 0 or head.not_before <= now())
          and not exists (
            select from sending s
            where s.workspace_id = e.workspace_id and s.work = 'webhook ' || e.endpoint_id)
      )
      select due.workspace_id, due.endpoint_id from due
      where due.turn <= max_of_workspace - (select count(*) from sending s where s.workspace_id = due.workspace_id)
      order by due.turn, due.attempted_at nulls first, due.endpoint_id
      limit max_endpoints
    $function$
;
GRANT EXECUTE ON FUNCTION due_webhook_endpoints(integer,integer) TO commissions_app;

CREATE OR REPLACE FUNCTION due_write_backs()
 RETURNS TABLE(workspace_id uuid, generation integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, max(coalesce(l.generation, 0))
      from crm_write_backs w
      join crm_connections c on c.workspace_id = w.workspace_id and c.provider = w.provider and c.broken_at is null
      left join work_leases l on l.workspace_id = w.workspace_id and l.work = 'write back'
      where (l.leased_until is null or l.leased_until < now()) and coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        and (exists (select from write_back_requests r where r.workspace_id = w.workspace_id)
          or w.not_before <= now() and (w.checked_at is null or w.findings <> '[]' or exists (
            select from deal_write_backs d
            where d.workspace_id = w.workspace_id and d.provider = w.provider and d.due_at <= now())))
      group by w.workspace_id
    $function$
;
GRANT EXECUTE ON FUNCTION due_write_backs() TO commissions_app;

CREATE OR REPLACE FUNCTION end_change_requests_of_agent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
    update change_requests set ended_because = 'agent_disconnected', expires_at = least(expires_at, now())
    where workspace_id = old.workspace_id and connection_id = old.connection_id and status in ('pending', 'running')
      and expires_at > now();
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION end_change_requests_of_agent() TO PUBLIC;

CREATE OR REPLACE FUNCTION end_change_requests_of_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
    update change_requests set ended_because = 'key_invalid', expires_at = least(expires_at, now())
    where workspace_id = old.workspace_id and token_id = old.token_id and status in ('pending', 'running')
      and expires_at > now();
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION end_change_requests_of_key() TO PUBLIC;

CREATE OR REPLACE FUNCTION end_change_requests_of_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      
    update change_requests set ended_because = case when new.active then 'role_changed' else 'person_deactivated' end, expires_at = least(expires_at, now())
    where workspace_id = old.workspace_id and rep_id = old.rep_id and status in ('pending', 'running')
      and expires_at > now();
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION end_change_requests_of_person() TO PUBLIC;

CREATE OR REPLACE FUNCTION end_lost_change_requests()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      update change_requests set
        status = case when has_written then 'done' else 'pending' end,
        decided_by = case when has_written then decided_by end,
        decided_at = case when has_written then decided_at end,
        run_id = null
      where status = 'running' and decided_at < now() - interval '2 minutes' and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      update change_requests c set ended_because = 'key_invalid', expires_at = least(c.expires_at, now())
      where c.status = 'pending' and c.expires_at > now() and c.token_id is not null
        and coalesce(c.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and not exists (
        select from tokens t where t.workspace_id = c.workspace_id and t.token_id = c.token_id
          and (t.expires_at is null or t.expires_at > now()));
    end $function$
;
GRANT EXECUTE ON FUNCTION end_lost_change_requests() TO commissions_app;

CREATE OR REPLACE FUNCTION find_agent_client(id text)
 RETURNS TABLE(metadata jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select c.metadata from agent_clients c where c.client_id = id
    $function$
;
GRANT EXECUTE ON FUNCTION find_agent_client(text) TO commissions_app;

CREATE OR REPLACE FUNCTION find_agent_grant(hash bytea)
 RETURNS TABLE(workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select g.workspace_id from agent_grants g where g.grant_hash = hash
    $function$
;
GRANT EXECUTE ON FUNCTION find_agent_grant(bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION find_route(from_source text, by_route text)
 RETURNS TABLE(workspace_id uuid, secret bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select r.workspace_id, r.secret from inbound_routes r where r.source = from_source and r.route = by_route
    $function$
;
GRANT EXECUTE ON FUNCTION find_route(text,text) TO commissions_app;

CREATE OR REPLACE FUNCTION find_sign_ins(address text, in_workspace uuid)
 RETURNS TABLE(workspace_id uuid, workspace_name text, rep_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select r.workspace_id, w.name, r.rep_id
      from reps r join workspaces w on w.workspace_id = r.workspace_id
      where r.email = address and r.active
        and (case when in_workspace is null then not w.is_sandbox else r.workspace_id = in_workspace end)
      order by w.created_at, r.workspace_id
    $function$
;
GRANT EXECUTE ON FUNCTION find_sign_ins(text,uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION find_tokens(hashes bytea[])
 RETURNS TABLE(hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean, created_by uuid, scopes text[], agent jsonb, is_agent boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    #variable_conflict use_column
    declare
      is_stale boolean;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent, is_agent,
        is_stale in
        select t.token_hash, t.workspace_id, t.token_id, t.kind, t.rep_id, r.role, r.active, t.created_by, t.scopes,
          case when t.kind = 'agt' then (
            select jsonb_build_object('connectionId', a.connection_id, 'clientName', a.client_name,
              'audience', a.audience, 'scopes', a.scopes)
            from agent_connections a where a.workspace_id = t.workspace_id and a.connection_id = t.connection_id) end,
          t.is_agent, t.last_used_at is null or t.last_used_at < now() - interval '1 minute'
        from tokens t left join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.rep_id
        where t.token_hash = any(hashes) and (t.expires_at is null or t.expires_at > now())
          and (t.kind <> 'sess' or (coalesce(t.last_used_at, t.created_at) > now() - interval '12 hours'
            and t.created_at > now() - interval '30 days'))
        order by coalesce(t.connection_id, t.token_id)
      loop
        if is_stale then
          update tokens t set last_used_at = now() from (
            select s.workspace_id, s.token_id from tokens s
            where s.workspace_id = find_tokens.workspace_id and s.token_id = find_tokens.token_id
            for update skip locked
          ) s
          where t.workspace_id = s.workspace_id and t.token_id = s.token_id;
        end if;
        return next;
      end loop;
    end $function$
;
GRANT EXECUTE ON FUNCTION find_tokens(bytea[]) TO commissions_app;

CREATE OR REPLACE FUNCTION insert_audit_entry(workspace uuid, entry uuid, head text)
 RETURNS void
 LANGUAGE sql
AS $function$
      insert into audit_entries (workspace_id, entry_id, content)
      values (workspace, entry, left(head, -1) || coalesce(',"counts":' || nullif(current_setting('app.audit_counts', true), ''), '')
        || coalesce(',"totals":' || nullif(current_setting('app.audit_totals', true), ''), '')
        || ',"changes":[' || coalesce(current_setting('app.row_changes', true), '')
        || '],"moreChanges":' || coalesce(nullif(current_setting('app.more_row_changes', true), ''), '0') || '}')
    $function$
;
GRANT EXECUTE ON FUNCTION insert_audit_entry(uuid,uuid,text) TO PUBLIC;

CREATE OR REPLACE FUNCTION is_mail_set_up()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select exists (select from installation i where i.mail_settings is not null)
    $function$
;
GRANT EXECUTE ON FUNCTION is_mail_set_up() TO commissions_app;

CREATE OR REPLACE FUNCTION is_operator()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select exists (
        select from installation i
        where i.operator_workspace_id = nullif(current_setting('app.workspace_id', true), '')::uuid)
    $function$
;
GRANT EXECUTE ON FUNCTION is_operator() TO commissions_app;

CREATE OR REPLACE FUNCTION issue_sign_in_code(address text, hash bytea, network bytea, in_workspace uuid, new_code uuid, new_salt bytea, new_hmac bytea, new_mail uuid, mail_subject text, mail_body bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      in_hour integer;
      in_day integer;
      all_in_hour integer;
      all_in_day integer;
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 7301));
      select count(*) filter (where c.network_hash = network and c.created_at > now() - interval '1 hour'),
        count(*) filter (where c.network_hash = network),
        count(*) filter (where c.created_at > now() - interval '1 hour'), count(*)
      into in_hour, in_day, all_in_hour, all_in_day
      from sign_in_codes c where c.email_hash = hash and c.created_at > now() - interval '1 day';
      if in_hour >= 5 or in_day >= 10 or all_in_hour >= 20 or all_in_day >= 40 then return false; end if;
      update sign_in_codes c set ended_at = now()
      where c.email_hash = hash and c.network_hash = network and c.ended_at is null;
      insert into sign_in_codes (code_id, email_hash, network_hash, workspace_id, salt, code_hmac)
      values (new_code, hash, network, in_workspace, new_salt, new_hmac);
      insert into mail_outbox (mail_id, recipient, subject, body, expires_at)
      values (new_mail, (select min(r.email) from reps r where r.email = address and r.active
          and (in_workspace is null or r.workspace_id = in_workspace)),
        mail_subject, mail_body, now() + interval '10 minutes');
      return true;
    end $function$
;
GRANT EXECUTE ON FUNCTION issue_sign_in_code(text,bytea,bytea,uuid,uuid,bytea,bytea,uuid,text,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION keep_person_values()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      today text := (
        select coalesce(w.test_day, (now() at time zone known_zone(w.timezone))::date)::text
        from workspaces w where w.workspace_id = new.workspace_id);
    begin
      insert into person_values as v (workspace_id, rep_id, slug, dated_values)
      select new.workspace_id, new.rep_id, s.slug, s.before || s.after
      from (
        select x.slug,
          case when x.old_value is null then '[]' else jsonb_build_array(jsonb_build_object('value', x.old_value)) end,
          case when x.new_value is null then '[]'
            else jsonb_build_array(jsonb_build_object('from', today, 'value', x.new_value)) end
        from (values
          ('title', old.title, new.title), ('team', old.team, new.team), ('location', old.location, new.location)
        ) x (slug, old_value, new_value)
        where x.old_value is distinct from x.new_value and (
          exists (
            select from rate_tables t cross join jsonb_array_elements(t.keys) k
            where t.workspace_id = new.workspace_id and lower(k ->> 'field') = 'rep.' || x.slug)
          or exists (
            select from person_values p
            where p.workspace_id = new.workspace_id and p.rep_id = new.rep_id and p.slug = x.slug))
      ) s (slug, before, after)
      on conflict (workspace_id, rep_id, slug) do update set dated_values = (
        select jsonb_agg(e order by coalesce(e ->> 'from', ''))
        from (
          select e from jsonb_array_elements(v.dated_values) e where e ->> 'from' is distinct from today
          union all
          select e from jsonb_array_elements(excluded.dated_values) e where e ->> 'from' = today
        ) kept (e))
      where excluded.dated_values -> -1 ->> 'from' = today;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION keep_person_values() TO PUBLIC;

CREATE OR REPLACE FUNCTION keep_removed_commission_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into removed_rows (workspace_id, feed, row_key, rep_id)
      select workspace_id, 'commission_events', event_id::text, rep_id from old_rows
      on conflict (workspace_id, feed, row_key) do update
        set removed_at = excluded.removed_at, changed_in = excluded.changed_in;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION keep_removed_commission_events() TO PUBLIC;

CREATE OR REPLACE FUNCTION keep_removed_deals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into removed_rows (workspace_id, feed, row_key, rep_id)
      select workspace_id, 'deals', deal_id::text, null::uuid from old_rows
      on conflict (workspace_id, feed, row_key) do update
        set removed_at = excluded.removed_at, changed_in = excluded.changed_in;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION keep_removed_deals() TO PUBLIC;

CREATE OR REPLACE FUNCTION known_zone(zone text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
    begin
      perform now() at time zone zone;
      return zone;
    exception when invalid_parameter_value then
      return 'UTC';
    end $function$
;
GRANT EXECUTE ON FUNCTION known_zone(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION list_identity_providers()
 RETURNS TABLE(provider_id uuid, terms jsonb, client_secret bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select p.provider_id, p.terms, p.client_secret from identity_providers p order by p.created_at, p.provider_id
    $function$
;
GRANT EXECUTE ON FUNCTION list_identity_providers() TO commissions_app;

CREATE OR REPLACE FUNCTION listed_routes()
 RETURNS TABLE(workspace uuid, source text, route text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select r.workspace_id, r.source, r.route from inbound_routes r
    $function$
;
GRANT EXECUTE ON FUNCTION listed_routes() TO commissions_app;

CREATE OR REPLACE FUNCTION listed_workspaces()
 RETURNS TABLE(workspace uuid, version uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, v.version
      from workspaces w left join cache_versions v on v.workspace_id = w.workspace_id and v.scope = 65
    $function$
;
GRANT EXECUTE ON FUNCTION listed_workspaces() TO commissions_app;

CREATE OR REPLACE FUNCTION mail_server()
 RETURNS TABLE(settings jsonb, password bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select i.mail_settings, i.mail_password from installation i where i.mail_settings is not null
    $function$
;
GRANT EXECUTE ON FUNCTION mail_server() TO commissions_app;

CREATE OR REPLACE FUNCTION mails_of_installation()
 RETURNS TABLE(waiting bigint, held bigint, last_sent_at timestamp with time zone, last_error text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select count(*) filter (where m.sent_at is null and m.not_before < 'infinity' and m.attempts < 8),
        count(*) filter (where m.sent_at is null and (m.not_before = 'infinity' or m.attempts >= 8)), max(m.sent_at),
        (select f.last_error from mail_outbox f where f.attempts > 0 and f.recipient is not null
          order by f.created_at desc limit 1)
      from mail_outbox m
      where is_operator() and m.recipient is not null
      having is_operator()
    $function$
;
GRANT EXECUTE ON FUNCTION mails_of_installation() TO commissions_app;

CREATE OR REPLACE FUNCTION note_active_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.has_been_active := new.has_been_active or new.status = 'active';
      return new;
    end $function$
;
GRANT EXECUTE ON FUNCTION note_active_version() TO PUBLIC;

CREATE OR REPLACE FUNCTION note_agent_client(id text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update agent_clients set used_at = now() where client_id = id
    $function$
;
GRANT EXECUTE ON FUNCTION note_agent_client(text) TO commissions_app;

CREATE OR REPLACE FUNCTION note_deliveries(sources text[], routes text[], verified integer[], rejected integer[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with noted as (
        select r.workspace_id, r.source, r.route, n.verified, n.rejected
        from unnest(sources, routes, verified, rejected) as n (source, route, verified, rejected)
        join inbound_routes r on r.source = n.source and r.route = n.route
        where coalesce(r.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        order by r.workspace_id, r.source, r.route
        for no key update of r
      )
      update inbound_routes r set
        last_received_at = now(),
        last_verified_at = case when n.verified > 0 then now() else r.last_verified_at end,
        rejected = least(r.rejected::bigint + n.rejected, 2147483647)::integer,
        last_rejected_at = case when n.rejected > 0 then now() else r.last_rejected_at end
      from noted n
      where r.workspace_id = n.workspace_id and r.source = n.source and r.route = n.route
    $function$
;
GRANT EXECUTE ON FUNCTION note_deliveries(text[],text[],integer[],integer[]) TO commissions_app;

CREATE OR REPLACE FUNCTION payroll_key(payroll_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
      select nullif(regexp_replace(lower(normalize(payroll_id, NFKC)), '[[:space:]]', '', 'g'), '')
    $function$
;
GRANT EXECUTE ON FUNCTION payroll_key(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION people_below(workspace uuid, manager uuid)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
AS $function$
      with recursive today (day) as (
        select (now() at time zone known_zone(w.timezone))::date from workspaces w where w.workspace_id = workspace
      ),
      people (rep_id) as (
        select manager
        union
        select l.rep_id from people p
        join reporting_lines l on l.workspace_id = workspace and l.manager_id = p.rep_id
        where l.from_day <= (select day from today) and coalesce(l.to_day, 'infinity') >= (select day from today)
      )
      select array_agg(rep_id order by rep_id) from people
    $function$
;
GRANT EXECUTE ON FUNCTION people_below(uuid,uuid) TO PUBLIC;

CREATE OR REPLACE FUNCTION plan_configuration_sha256(v plan_versions)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
      select encode(sha256(convert_to(
        jsonb_build_array(v.config, v.deal_conditions, v.currency, v.fx, v.field_mapping)::text, 'UTF8')), 'hex')
    $function$
;
GRANT EXECUTE ON FUNCTION plan_configuration_sha256(plan_versions) TO PUBLIC;

CREATE OR REPLACE FUNCTION post_mail(new_mail uuid, address text, mail_subject text, mail_body bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      insert into mail_outbox (mail_id, workspace_id, recipient, subject, body)
      select new_mail, w.workspace_id, address, mail_subject, mail_body
      from workspaces w
      where w.workspace_id = current_setting('app.workspace_id')::uuid and not w.is_sandbox
    $function$
;
GRANT EXECUTE ON FUNCTION post_mail(uuid,text,text,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION read_only_workspaces()
 RETURNS TABLE(workspace_id uuid)
 LANGUAGE sql
 STABLE
AS $function$
      select substr(t.tgname, 8)::uuid from pg_trigger t
      where t.tgrelid = 'workspaces'::regclass and left(t.tgname, 7) = 'moving_'
    $function$
;
GRANT EXECUTE ON FUNCTION read_only_workspaces() TO PUBLIC;

CREATE OR REPLACE FUNCTION receive_messages(sources text[], routes text[], keys uuid[], subjects text[], payloads text[])
 RETURNS TABLE(source text, route text, workspace_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    #variable_conflict use_column
    begin
      return query
      with messages as materialized (
        select m.source, m.route, m.key, m.subject, m.payload, r.workspace_id
        from unnest(sources, routes, keys, subjects, payloads) as m (source, route, key, subject, payload)
        join inbound_routes r on r.source = m.source and r.route = m.route
      ), stored as (
        insert into inbox (workspace_id, source, message_key, subject, payload)
        select m.workspace_id, m.source, m.key, m.subject, m.payload::jsonb from messages m
        order by m.workspace_id, m.source, m.key
        on conflict do nothing
      )
      select distinct m.source, m.route, m.workspace_id from messages m;
    end $function$
;
GRANT EXECUTE ON FUNCTION receive_messages(text[],text[],uuid[],text[],text[]) TO commissions_app;

CREATE OR REPLACE FUNCTION record_failed_sign_in(address text, hash bytea, used_method text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      today integer;
    begin
      insert into sign_in_failures as f (email_hash, day, failures) values (hash, (now() at time zone 'UTC')::date, 1)
      on conflict (email_hash, day) do update set failures = f.failures + 1
      returning f.failures into today;
      if today <= 100 then
        insert into audit_runs (workspace_id, run_id, actor, trigger, scope, rep_id, outcome, error, details)
        select r.workspace_id, gen_random_uuid(), 'anonymous', 'login', 'rep', r.rep_id, 'failed',
          'The code or the identity was not accepted.', jsonb_build_object('method', used_method)
        from reps r where r.email = address and coalesce(r.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true);
      end if;
      return today;
    end $function$
;
GRANT EXECUTE ON FUNCTION record_failed_sign_in(text,bytea,text) TO commissions_app;

CREATE OR REPLACE FUNCTION record_mail_result(mail uuid, result text, error text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update mail_outbox set
        sent_at = case when result = 'sent' then now() end,
        body = case when result = 'sent' then null else body end,
        not_before = case result
          when 'held' then 'infinity' else now() + interval '5 seconds' * power(3, least(attempts, 8) - 1) end,
        last_error = error
      where mail_id = mail and sent_at is null
    $function$
;
GRANT EXECUTE ON FUNCTION record_mail_result(uuid,text,text) TO commissions_app;

CREATE OR REPLACE FUNCTION record_payroll_id_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'UPDATE' then
        if new.payroll_id is not distinct from old.payroll_id then return new; end if;
      elsif new.payroll_id is null then
        return new;
      end if;
      new.payroll_key := payroll_key(new.payroll_id);
      new.payroll_id_changed_at := now();
      return new;
    end $function$
;
GRANT EXECUTE ON FUNCTION record_payroll_id_change() TO PUBLIC;

CREATE OR REPLACE FUNCTION record_repeated_rejections()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with ended as (
        delete from rejected_calls where minute < date_trunc('minute', now()) and coalesce(workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
        returning workspace_id, entry_id, head, repeats
      )
      insert into audit_entries (workspace_id, entry_id, content)
      select workspace_id, entry_id, left(head, -1) || ',"count":' || repeats || ',"changes":[],"moreChanges":0}'
      from ended where repeats > 0
    $function$
;
GRANT EXECUTE ON FUNCTION record_repeated_rejections() TO commissions_app;

CREATE OR REPLACE FUNCTION record_row_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      ids constant text[] := string_to_array(tg_argv[0], ',');
      hidden constant text[] := string_to_array(tg_argv[1], ',');
      omitted constant text[] := ids || string_to_array(tg_argv[2], ',') || '{workspace_id,created_at}';
      counted constant text := coalesce(current_setting('app.more_row_changes', true), '');
      recorded text;
      old_row jsonb;
      new_row jsonb;
      change jsonb;
    begin
      -- Reading the recorded changes for every row of a large file would take a millisecond each.
      if counted = '' then recorded := coalesce(current_setting('app.row_changes', true), ''); end if;
      if counted <> '' or octet_length(recorded) > 100000 then
        perform set_config('app.more_row_changes', (coalesce(nullif(counted, ''), '0')::integer + 1)::text, true);
        return null;
      end if;
      if tg_op <> 'INSERT' then old_row := to_jsonb(old); end if;
      if tg_op <> 'DELETE' then new_row := to_jsonb(new); end if;
      change := jsonb_build_object(
        'table', tg_table_name,
        'id', (select coalesce(jsonb_object_agg(i, coalesce(new_row, old_row) -> i), '{}') from unnest(ids) i),
        'before', audited_values(old_row, new_row, hidden, omitted),
        'after', audited_values(new_row, old_row, hidden, omitted));
      if tg_op <> 'UPDATE' or change -> 'after' <> 'null' then
        perform set_config('app.row_changes', concat_ws(',', nullif(recorded, ''), change::text), true);
      end if;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION record_row_change() TO PUBLIC;

CREATE OR REPLACE FUNCTION record_statement_periods()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into statement_period_history (workspace_id, rep_id, period, from_day, to_day, status, current_version,
        approved_at, approver, approved_total, currency)
      select workspace_id, rep_id, period, from_day, to_day, status, current_version, approved_at, approver,
        approved_total, currency
      from new_rows;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION record_statement_periods() TO PUBLIC;

CREATE OR REPLACE FUNCTION refresh_deal_participations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op <> 'INSERT' then
        delete from deal_participations where workspace_id = old.workspace_id and deal_id = old.deal_id;
      end if;
      if tg_op = 'DELETE' then return null; end if;
      if new.close_date is not null and new.deleted_at is null then
        insert into deal_participations (workspace_id, deal_id, rep_id, close_date)
        select distinct new.workspace_id, new.deal_id, (line ->> 'repId')::uuid, new.close_date
        from jsonb_array_elements(new.credits -> 'lines') line
        where line ->> 'repId' is not null and (line ->> 'repId')::uuid is distinct from new.rep_id;
      end if;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION refresh_deal_participations() TO PUBLIC;

CREATE OR REPLACE FUNCTION register_agent_client(id text, client_metadata jsonb, network bytea)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(network, 'hex'), 7302));
      if (select count(*) from agent_clients c
          where c.network_hash = network and c.created_at > now() - interval '1 hour') >= 100 then
        return 'network_limit';
      end if;
      if (select count(*) from agent_clients c where c.created_at > now() - interval '1 hour') >= 20000 then
        return 'limit';
      end if;
      insert into agent_clients (client_id, metadata, network_hash) values (id, client_metadata, network);
      return 'registered';
    end $function$
;
GRANT EXECUTE ON FUNCTION register_agent_client(text,jsonb,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION reject_changes_of_decided_batches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if new.content is null and to_jsonb(new) - 'content' = to_jsonb(old) - 'content' then return new; end if;
      raise exception 'batch_decided: the payout batch % is %', old.batch_id, old.status;
    end $function$
;
GRANT EXECUTE ON FUNCTION reject_changes_of_decided_batches() TO PUBLIC;

CREATE OR REPLACE FUNCTION reject_events_of_approved_periods()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    declare
      frozen text;
    begin
      if tg_op = 'INSERT' then
        if exists (select from (select distinct workspace_id, rep_id from new_rows) r
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
            limit 1
          ) s) then
          select s.period into frozen
          from (select distinct workspace_id, rep_id, earned_on from new_rows e where e.kind <> 'true_up') e
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved' and e.earned_on between s.from_day and s.to_day
            limit 1
          ) s
          limit 1;
        end if;
      elsif tg_op = 'DELETE' then
        if exists (select from (select distinct workspace_id, rep_id from old_rows) r
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
            limit 1
          ) s) then
          select s.period into frozen
          from (select distinct workspace_id, rep_id, earned_on from old_rows e where true) e
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved' and e.earned_on between s.from_day and s.to_day
            limit 1
          ) s
          limit 1;
        end if;
      else
        if exists (select from (select distinct workspace_id, rep_id from old_rows) r
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
            limit 1
          ) s) then
          select s.period into frozen
          from (select distinct workspace_id, rep_id, earned_on from old_rows e where e.status <> 'reversed') e
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved' and e.earned_on between s.from_day and s.to_day
            limit 1
          ) s
          limit 1;
        end if;
      end if;
      if frozen is null and tg_op = 'UPDATE' then
        if exists (select from (select distinct workspace_id, rep_id from new_rows) r
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
            limit 1
          ) s) then
          select s.period into frozen
          from (select distinct workspace_id, rep_id, earned_on from new_rows e where true) e
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved' and e.earned_on between s.from_day and s.to_day
            limit 1
          ) s
          limit 1;
        end if;
      end if;
      if frozen is not null then
        raise exception 'statement_locked: commission of the approved period % cannot be written', frozen;
      end if;
      return null;
    end $function$
;
GRANT EXECUTE ON FUNCTION reject_events_of_approved_periods() TO PUBLIC;

CREATE OR REPLACE FUNCTION rename_approver_in_history(rep uuid, new_name text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update statement_period_history set approver = jsonb_set(approver, '{name}', to_jsonb(new_name))
      where workspace_id = current_setting('app.workspace_id')::uuid and approver ->> 'repId' = rep::text
    $function$
;
GRANT EXECUTE ON FUNCTION rename_approver_in_history(uuid,text) TO commissions_app;

CREATE OR REPLACE FUNCTION return_sign_in_try(code uuid, with_nonce boolean, network bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update sign_in_codes c set
        nonce_attempts = greatest(0, c.nonce_attempts - with_nonce::integer),
        attempts = greatest(0, c.attempts - (not with_nonce and c.network_hash = network)::integer),
        other_attempts = greatest(0, c.other_attempts - (not with_nonce and c.network_hash <> network)::integer)
      where c.code_id = code and c.used_at is null
    $function$
;
GRANT EXECUTE ON FUNCTION return_sign_in_try(uuid,boolean,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION running_jobs()
 RETURNS TABLE(workspace_id uuid, job_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select j.workspace_id, j.job_id from jobs j
      where j.status = 'running' and j.started_at < now() - interval '5 seconds' and coalesce(j.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
      limit 1000
    $function$
;
GRANT EXECUTE ON FUNCTION running_jobs() TO commissions_app;

CREATE OR REPLACE FUNCTION save_identity_provider(provider uuid, new_terms jsonb, secret bytea)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with saved as (
        insert into identity_providers (provider_id, terms, client_secret)
        select provider, new_terms, secret where is_operator()
        on conflict (provider_id) do update set terms = excluded.terms, client_secret = excluded.client_secret
        returning 1
      )
      select exists (select from saved)
    $function$
;
GRANT EXECUTE ON FUNCTION save_identity_provider(uuid,jsonb,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION save_mail_server(new_settings jsonb, new_password bytea)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with saved as (
        update installation set mail_settings = new_settings, mail_password = new_password
        where is_operator() returning 1
      )
      select exists (select from saved)
    $function$
;
GRANT EXECUTE ON FUNCTION save_mail_server(jsonb,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION seal_audit_entries(max_entries integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      of_workspace uuid;
      entry record;
      last_position bigint;
      last_hash bytea;
      sealed integer := 0;
    begin
      for of_workspace in
        select distinct a.workspace_id from audit_entries a
        where a.position is null and coalesce(a.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
      loop
        continue when not pg_try_advisory_xact_lock(hashtextextended('audit:' || of_workspace, 0));
        select a.position, a.hash into last_position, last_hash from audit_entries a
        where a.workspace_id = of_workspace and a.position is not null order by a.position desc limit 1;
        for entry in
          select a.entry_id, a.content from audit_entries a
          where a.workspace_id = of_workspace and a.position is null order by a.at, a.entry_id limit max_entries
        loop
          last_position := coalesce(last_position, 0) + 1;
          last_hash := sha256(coalesce(last_hash, '') ||
            convert_to(of_workspace || ':' || last_position || ':' || entry.content, 'UTF8'));
          update audit_entries a set position = last_position, hash = last_hash
          where a.workspace_id = of_workspace and a.entry_id = entry.entry_id;
          sealed := sealed + 1;
        end loop;
      end loop;
      return sealed;
    end $function$
;
GRANT EXECUTE ON FUNCTION seal_audit_entries(integer) TO commissions_app;

CREATE OR REPLACE FUNCTION search_text(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
      select case when $1 ~ '^[ -~]*$' then lower($1) else
        replace(replace(replace(replace(
          translate(regexp_replace(lower(normalize($1, NFKD)), '[̀-ͯ]', '', 'g'), 'øđðłı', 'oddli'),
          'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end
    $function$
;
GRANT EXECUTE ON FUNCTION search_text(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION stamp_changed_deal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.changed_in := pg_current_xact_id();
      return new;
    end $function$
;
GRANT EXECUTE ON FUNCTION stamp_changed_deal() TO PUBLIC;

CREATE OR REPLACE FUNCTION store_sign_in_state(hash bytea, in_workspace uuid, sealed bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      insert into sign_in_states (state_hash, workspace_id, secrets) values (hash, in_workspace, sealed)
    $function$
;
GRANT EXECUTE ON FUNCTION store_sign_in_state(bytea,uuid,bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION store_unmatched_payment(event text, customer text, named text)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with stored as (
        insert into billing_unmatched (event_id, customer_id, reference) values (event, customer, left(named, 500))
        on conflict do nothing returning 1
      )
      select exists (select from stored)
    $function$
;
GRANT EXECUTE ON FUNCTION store_unmatched_payment(text,text,text) TO commissions_app;

CREATE OR REPLACE FUNCTION take_mail(mail uuid)
 RETURNS TABLE(recipient text, subject text, body bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      delete from mail_outbox m where m.mail_id = mail and m.recipient is null;
      return query
        update mail_outbox m set attempts = m.attempts + 1, not_before = now() + interval '2 minutes'
        where m.mail_id = mail and m.sent_at is null and m.not_before <= now() and m.attempts < 8
          and (m.expires_at is null or m.expires_at > now())
        returning m.recipient, m.subject, m.body;
    end $function$
;
GRANT EXECUTE ON FUNCTION take_mail(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION take_sign_in_state(hash bytea)
 RETURNS TABLE(workspace_id uuid, secrets bytea)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with taken as (
        delete from sign_in_states s where s.state_hash = hash returning s.workspace_id, s.secrets, s.expires_at
      )
      select t.workspace_id, t.secrets from taken t where t.expires_at > now()
    $function$
;
GRANT EXECUTE ON FUNCTION take_sign_in_state(bytea) TO commissions_app;

CREATE OR REPLACE FUNCTION try_sign_in_code(hash bytea, network bytea, by_nonce uuid)
 RETURNS TABLE(code_id uuid, salt bytea, code_hmac bytea, workspace_id uuid)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      update sign_in_codes c set
        nonce_attempts = c.nonce_attempts + (by_nonce is not null)::integer,
        attempts = c.attempts + (by_nonce is null and c.network_hash = network)::integer,
        other_attempts = c.other_attempts + (by_nonce is null and c.network_hash <> network)::integer
      where c.email_hash = hash and c.used_at is null and c.expires_at > now()
        and case
          when by_nonce is not null then c.nonce_attempts < 5
          when c.network_hash = network then c.attempts < 5 and c.ended_at is null
          else c.other_attempts < 5 and c.ended_at is null
        end
        and c.code_id = coalesce(by_nonce, (
          select n.code_id from sign_in_codes n
          where n.email_hash = hash and n.ended_at is null and n.used_at is null and n.expires_at > now()
          order by n.network_hash = network desc, n.created_at desc limit 1))
      returning c.code_id, c.salt, c.code_hmac, c.workspace_id
    $function$
;
GRANT EXECUTE ON FUNCTION try_sign_in_code(bytea,bytea,uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION unsent_mails()
 RETURNS TABLE(mail_id uuid, attempts integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select m.mail_id, m.attempts from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.sent_at is null
    $function$
;
GRANT EXECUTE ON FUNCTION unsent_mails() TO commissions_app;

CREATE OR REPLACE FUNCTION use_sign_in_code(code uuid)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with used as (
        update sign_in_codes set used_at = now()
        where code_id = code and used_at is null and expires_at > now()
        returning 1
      )
      select exists (select from used)
    $function$
;
GRANT EXECUTE ON FUNCTION use_sign_in_code(uuid) TO commissions_app;

CREATE OR REPLACE FUNCTION visible_team(workspace uuid, manager uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
    begin
      if not exists (select from workspaces w where w.workspace_id = workspace and w.manager_scope = 'reports') then
        return null;
      end if;
      return people_below(workspace, manager);
    end $function$
;

CREATE OR REPLACE FUNCTION was_last_mail_sent()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select m.sent_at is not null from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.attempts > 0
      order by m.created_at desc limit 1
    $function$
;
GRANT EXECUTE ON FUNCTION was_last_mail_sent() TO commissions_app;

CREATE OR REPLACE FUNCTION workspaces_with_books()
 RETURNS TABLE(workspace_id uuid, timezone text, test_day date, found_on date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, w.timezone, w.test_day, (w.corrections_found ->> 'day')::date from workspaces w
      where w.accounting is not null and coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and exists (
        select from webhook_endpoints e
        where e.workspace_id = w.workspace_id and e.enabled
          and (e.event_types is null or 'accounting.correction_found' = any(e.event_types)))
    $function$
;
GRANT EXECUTE ON FUNCTION workspaces_with_books() TO commissions_app;

CREATE OR REPLACE FUNCTION workspaces_with_managers()
 RETURNS TABLE(workspace_id uuid, timezone text, digest_of date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, w.timezone, w.digest_of from workspaces w
      where coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and exists (select from reps r
        where r.workspace_id = w.workspace_id and r.active and r.role in ('manager', 'admin'))
    $function$
;
GRANT EXECUTE ON FUNCTION workspaces_with_managers() TO commissions_app;

CREATE OR REPLACE FUNCTION workspaces_with_periodic_rules()
 RETURNS TABLE(workspace_id uuid, timezone text, periodic_through date, test_day date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, w.timezone, w.periodic_through, w.test_day
      from workspaces w
      where coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true) and (
        exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
        or exists (select from plan_versions v where v.workspace_id = w.workspace_id and v.fx->>'date' = 'period_end'))
    $function$
;
GRANT EXECUTE ON FUNCTION workspaces_with_periodic_rules() TO commissions_app;

CREATE OR REPLACE FUNCTION workspaces_with_rep_digests()
 RETURNS TABLE(workspace_id uuid, timezone text, rep_digest jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, w.timezone, w.rep_digest from workspaces w
      where w.rep_digest is not null and not w.is_sandbox and coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION workspaces_with_rep_digests() TO commissions_app;

CREATE OR REPLACE FUNCTION workspaces_with_steps()
 RETURNS TABLE(workspace_id uuid, timezone text, test_day date, reminded_on date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select w.workspace_id, w.timezone, w.test_day, w.signers_reminded_on from workspaces w
      where w.approval_steps is not null and coalesce(w.workspace_id <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)
    $function$
;
GRANT EXECUTE ON FUNCTION workspaces_with_steps() TO commissions_app;

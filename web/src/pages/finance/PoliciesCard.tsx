import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Policy, policiesQuery } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { ProposalLine } from './ProposalLine.js';

/** Which cost is an asset, and over how long: versions that one admin proposes and another approves. */
export function PoliciesCard({ month }: { readonly month: string }) {
  const { role } = useSession();
  const policies = useQuery(policiesQuery);
  const [isProposing, setProposing] = useState(false);
  return (
    <Loaded query={policies} height={120}>
      {(versions) => (
        <Card
          title="Policies of capitalised cost"
          note={versions.length === 0 ? 'without a policy, commission is expense' : undefined}
          action={role === 'admin' ? <Button onClick={() => setProposing(true)}>Propose</Button> : undefined}
        >
          <ul className={styles.points}>
            {versions.map((policy) => (
              <PolicyLine key={`${policy.name} ${policy.version}`} policy={policy} />
            ))}
          </ul>
          {isProposing ? <ProposeDialog month={month} onClose={() => setProposing(false)} /> : null}
        </Card>
      )}
    </Loaded>
  );
}

function PolicyLine({ policy }: { readonly policy: Policy }) {
  const { name, version, status } = policy;
  const params = { name, version: String(version) };
  const approve = useAction({ send: () => api.approvePolicy({ params }) });
  const withdraw = useAction({ send: () => api.withdrawPolicy({ params }) });
  return (
    <ProposalLine status={status} approve={approve} withdraw={withdraw}>
      {name} v{version}: {describePolicy(policy)}
    </ProposalLine>
  );
}

/** The policy in a sentence, with an example. */
function describePolicy({ from, scope, treatment, period, match, convention, correction }: Policy): string {
  const which = match.ruleNames === undefined ? 'all rows of deals' : match.ruleNames.join(', ');
  if (treatment === 'expense') return `from ${formatPeriod(from)}, ${which} are expense`;
  const start = { full_month: 'the month it is earned in', next_month: 'the month after it', daily: 'its day' }[
    convention
  ];
  const changes = correction === 'prospective' ? '; changes are spread over what is left' : '';
  const of = scope === 'all' ? `${which}, also earlier ones,` : which;
  return `from ${formatPeriod(from)}, ${of} are amortised ${describePeriod(period)} from ${start} on${changes}`;
}

function describePeriod(period: Policy['period']): string {
  if ('months' in period) return `over ${period.months} months`;
  return 'until' in period ? `until the day ${period.until} of the contract` : 'over the contract';
}

function periodOf(kind: string, months: string, until: string): Policy['period'] {
  if (kind === 'contract') return { contract: true };
  return kind === 'until' ? { until } : { months: Number(months) };
}

const blank = {
  name: '',
  treatment: 'capitalise',
  scope: 'new',
  period: 'months',
  months: '36',
  until: 'end',
  start: 'earned',
  convention: 'full_month',
  correction: 'catch_up',
  rules: '',
  position: '1',
};

function ProposeDialog({ month, onClose }: { readonly month: string; readonly onClose: () => void }) {
  const form = usePersistedForm('policy', { ...blank, from: month });
  const { name, from, scope, treatment, period, months, until, start, convention, correction, rules, position } =
    form.values;
  const ruleNames = rules
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
  const change = useChange({
    send: () =>
      api.proposePolicy({
        params: { name },
        body: {
          from,
          position: Number(position),
          match: ruleNames.length === 0 ? {} : { ruleNames },
          treatment: treatment as Policy['treatment'],
          scope: scope as Policy['scope'],
          period: periodOf(period, months, until),
          start,
          convention: convention as Policy['convention'],
          correction: correction as Policy['correction'],
        },
      }),
    onDone: () => {
      form.clear();
      showMessage('Another admin approves the policy.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Propose a policy"
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: name.trim() === '', children: 'Propose' }}
    >
      <TextField label="Name" maxLength={100} {...form.field('name')} />
      <TextField label="First month" hint="YYYY-MM, a month that is open." {...form.field('from')} />
      <Choice
        label="Treatment"
        choices={[
          ['capitalise', 'asset, amortised'],
          ['expense', 'expense'],
        ]}
        {...form.field('treatment')}
      />
      <SpreadFields form={form} />
      <Choice
        label="Begins with"
        choices={[
          ['full_month', 'the month in which it is earned'],
          ['next_month', 'the month after it'],
          ['daily', 'its day'],
        ]}
        {...form.field('convention')}
      />
      <Choice
        label="A later change of the cost"
        choices={[
          ['catch_up', 'counts from the beginning'],
          ['prospective', 'is spread over what is left'],
        ]}
        {...form.field('correction')}
      />
      <TextField label="Rules" hint="Names, separated by commas; all if empty." {...form.field('rules')} />
      <TextField
        label="Position"
        inputMode="numeric"
        hint="The first policy that matches decides."
        {...form.field('position')}
      />
    </Dialog>
  );
}

/** Over which time the cost is spread, and of which rows. */
function SpreadFields({
  form,
}: {
  readonly form: ReturnType<typeof usePersistedForm<typeof blank & { from: string }>>;
}) {
  const { period } = form.values;
  return (
    <>
      <Choice
        label="Counts for"
        choices={[
          ['new', 'rows that are earned from then on'],
          ['all', 'what is left of earlier rows too'],
        ]}
        {...form.field('scope')}
      />
      <Choice
        label="How long"
        choices={[
          ['months', 'a number of months'],
          ['contract', 'the contract of the deal'],
          ['until', 'until a day of the contract'],
        ]}
        {...form.field('period')}
      />
      {period === 'months' ? <TextField label="Months" inputMode="numeric" {...form.field('months')} /> : null}
      {period === 'until' ? (
        <TextField label="Until" hint="Name of a day of the contract." {...form.field('until')} />
      ) : null}
      <TextField
        label="Starts on"
        hint="earned, or the name of a day of the contract, such as start or go_live."
        {...form.field('start')}
      />
    </>
  );
}

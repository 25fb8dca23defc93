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
function describePolicy({ from, treatment, months, match, convention, correction }: Policy): string {
  const which = match.ruleNames === undefined ? 'all rows of deals' : match.ruleNames.join(', ');
  if (treatment === 'expense') return `from ${formatPeriod(from)}, ${which} are expense`;
  const start = { full_month: 'the month it is earned in', next_month: 'the month after it', daily: 'its day' }[
    convention
  ];
  const changes = correction === 'prospective' ? '; changes are spread over what is left' : '';
  return `from ${formatPeriod(from)}, ${which} are amortised over ${months} months from ${start} on${changes}`;
}

const blank = {
  name: '',
  treatment: 'capitalise',
  months: '36',
  convention: 'full_month',
  correction: 'catch_up',
  rules: '',
  position: '1',
};

function ProposeDialog({ month, onClose }: { readonly month: string; readonly onClose: () => void }) {
  const form = usePersistedForm('policy', { ...blank, from: month });
  const { name, from, treatment, months, convention, correction, rules, position } = form.values;
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
          months: Number(months),
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
      <TextField label="Months" inputMode="numeric" {...form.field('months')} />
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

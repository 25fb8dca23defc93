import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Accounting, type Policy, type PolicyTerms, proposalEffectQuery } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextArea, TextField } from '../../components/Field.js';
import { renewalDecisions } from '../../features/finance/policy-words.js';
import { linesOf } from '../../shared/format/entered-lists.js';
import { PolicyEffect } from './PolicyEffect.js';

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
  renewals: 'undecided',
  reason: '',
};
type Entered = typeof blank & { readonly from: string };

/** The terms as they are sent; null while they have no name. */
function readTerms(entered: Entered): PolicyTerms | null {
  const { name, from, scope, treatment, period, months, until, start, convention, correction, rules, position } =
    entered;
  const { renewals, reason } = entered;
  const ruleNames = linesOf(rules);
  const decision = renewals as NonNullable<PolicyTerms['renewals']>['decision'];
  if (name.trim() === '' || (renewals !== 'undecided' && reason.trim() === '')) return null;
  return {
    from,
    position: Number(position),
    match: ruleNames.length === 0 ? {} : { ruleNames },
    treatment: treatment as Policy['treatment'],
    scope: scope as Policy['scope'],
    period: periodOf(period, months, until),
    start,
    convention: convention as Policy['convention'],
    correction: correction as Policy['correction'],
    ...(renewals === 'undecided' ? {} : { renewals: { decision, reason } }),
  };
}

interface ProposeProps {
  readonly accounting: Accounting;
  readonly onClose: () => void;
}

/** The terms of a version, with what they do to the open months before they are proposed. */
export function ProposePolicyDialog({ accounting, onClose }: ProposeProps) {
  const form = usePersistedForm<Entered>('policy', { ...blank, from: accounting.firstOpen });
  const { name } = form.values;
  const terms = readTerms(form.values);
  const preview = usePreview(name, terms);
  const isPreviewed = terms !== null && preview.data !== undefined && !preview.isPlaceholderData;
  const change = useChange({
    send: async () => {
      if (terms !== null) await api.proposePolicy({ params: { name }, body: terms });
    },
    onDone: () => {
      form.clear();
      showMessage('Another admin approves the policy.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Propose a policy"
      size={720}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: !isPreviewed, children: 'Propose' }}
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
      <TextArea label="Rules" rows={2} hint="Names, one on each line; all if empty." {...form.field('rules')} />
      <TextField
        label="Position"
        inputMode="numeric"
        hint="The first policy that matches decides."
        {...form.field('position')}
      />
      <Choice
        label="Commission on renewals"
        hint="Commensurate: renewals pay for themselves, so the cost belongs to the contract."
        choices={[['undecided', 'undecided'], ...Object.entries(renewalDecisions)]}
        {...form.field('renewals')}
      />
      {form.values.renewals === 'undecided' ? null : (
        <TextField label="Reason" maxLength={1000} hint="For the auditor." {...form.field('reason')} />
      )}
      {terms === null ? null : <PolicyEffect preview={preview} entities={accounting.entities} />}
    </Dialog>
  );
}

/** The books are calculated twice for each preview, so it waits for a pause of the typing. */
function usePreview(name: string, terms: PolicyTerms | null) {
  const entered = JSON.stringify([name, terms]);
  const [waited] = useDebouncedValue(entered, 700);
  return useQuery({ ...proposalEffectQuery(name, terms), enabled: terms !== null && waited === entered });
}

/** Over which time the cost is spread, and of which rows. */
function SpreadFields({ form }: { readonly form: PersistedForm<Entered> }) {
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

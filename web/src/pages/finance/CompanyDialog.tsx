import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Company, type JournalLine } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { InlineInput } from '../../components/Inline.js';
import { DatedFields } from '../../features/finance/DatedFields.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import styles from './Finance.module.css';
import { accountNames, frameworks } from './words.js';

type Role = JournalLine['account'];
const roles = Object.keys(accountNames) as Role[];

interface CompanyDialogProps {
  /** Null for a new one. */
  readonly company: Company | null;
  /** The codes that other companies have. */
  readonly taken: readonly string[];
  /** The key under which the browser keeps what is entered. */
  readonly storageKey: string;
  readonly onClose: () => void;
}

/** The name of a company, the payroll tax, and the account of each role in its books. */
export function CompanyDialog({ company, taken, storageKey, onClose }: CompanyDialogProps) {
  const form = usePersistedForm<Entered>(storageKey, toEntered(company));
  const { code, name, currency, framework, payrollTax, accounts } = form.values;
  const taxes = readTaxes(payrollTax);
  const isTaken = company === null && taken.includes(code.trim());
  const save = useChange({
    send: async () => {
      if (taxes === null) return;
      const ofNew = company === null && currency.trim() !== '' ? { currency: currency.trim().toUpperCase() } : {};
      await api.putEntity({
        params: { code: code.trim() },
        body: { name: name.trim(), framework, payrollTax: taxes, accounts: readAccounts(accounts), ...ofNew },
      });
    },
    onDone: () => {
      form.clear();
      showMessage(`${name.trim()} was saved.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={company === null ? 'New company' : company.name}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: code.trim() === '' || name.trim() === '' || taxes === null || isTaken,
        children: 'Save',
      }}
    >
      <TextField label="Name" maxLength={200} {...form.field('name')} />
      {company === null ? (
        <>
          <TextField
            label="Code"
            maxLength={30}
            hint="Such as uk. It never changes."
            problem={isTaken ? 'Another company has this code.' : null}
            {...form.field('code')}
          />
          <TextField
            label="Currency of the books"
            maxLength={3}
            hint="Such as GBP; that of the first company if empty. It never changes."
            {...form.field('currency')}
          />
        </>
      ) : null}
      <Choice
        label="Accounting standard"
        hint="Under IFRS and FRS 102 an impairment is reversed if a later test says so."
        choices={Object.entries(frameworks)}
        {...form.field('framework')}
      />
      <DatedFields
        name="Payroll tax"
        rows={payrollTax}
        blank={{ from: '', percent: '' }}
        onChange={(rows) => form.change({ payrollTax: rows })}
      >
        {({ percent }, change) => (
          <TextField
            label="Percent"
            inputMode="decimal"
            value={percent}
            onChange={({ currentTarget }) => change({ percent: currentTarget.value })}
          />
        )}
      </DatedFields>
      <div className={styles.accounts}>
        {roles.map((role) => (
          <AccountFields key={role} role={role} form={form} />
        ))}
      </div>
    </Dialog>
  );
}

function AccountFields({ role, form }: { readonly role: Role; readonly form: PersistedForm<Entered> }) {
  const name = accountNames[role];
  const { accounts } = form.values;
  const field = (part: 'number' | 'name') => ({
    value: accounts[`${role}.${part}`] ?? '',
    onChange: ({ currentTarget }: React.ChangeEvent<HTMLInputElement>) =>
      form.change({ accounts: { ...accounts, [`${role}.${part}`]: currentTarget.value } }),
  });
  return (
    <>
      <span>{name}</span>
      <InlineInput label={`Number of ${name}`} placeholder="Number" maxLength={50} {...field('number')} />
      <InlineInput label={`Name of ${name}`} placeholder="Name" maxLength={200} {...field('name')} />
    </>
  );
}

interface Entered {
  readonly code: string;
  readonly name: string;
  readonly currency: string;
  readonly framework: Company['framework'];
  readonly payrollTax: readonly { readonly from: string; readonly percent: string }[];
  readonly accounts: Readonly<Record<string, string>>;
}

function toEntered(company: Company | null): Entered {
  const { code = '', name = '', framework = 'us_gaap', payrollTax = [], accounts = {} } = company ?? {};
  return {
    code,
    name,
    currency: '',
    framework,
    payrollTax: payrollTax.map(({ from, percent }) => ({ from, percent: writeNumber(percent) })),
    accounts: Object.fromEntries(
      roles.flatMap((role) => [
        [`${role}.number`, accounts[role]?.number ?? ''],
        [`${role}.name`, accounts[role]?.name ?? ''],
      ]),
    ),
  };
}

/** The percentages as they are sent; null while one is incomplete. */
function readTaxes(entered: Entered['payrollTax']): Company['payrollTax'] | null {
  const read = entered.flatMap(({ from, percent }) => {
    const number = readNumber(percent);
    return number === null || !isDay(from) ? [] : [{ from, percent: number }];
  });
  return read.length < entered.length ? null : read;
}

/** An account without a number is none; without a name it has that of its role. */
function readAccounts(values: Entered['accounts']): Company['accounts'] {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const number = (values[`${role}.number`] ?? '').trim();
      const name = (values[`${role}.name`] ?? '').trim();
      return number === '' ? [] : [[role, { number, name: name === '' ? accountNames[role] : name }]];
    }),
  );
}

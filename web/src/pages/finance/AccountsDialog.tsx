import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Accounting, type JournalLine } from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { InlineInput } from '../../components/Inline.js';
import styles from './Finance.module.css';
import { accountNames } from './words.js';

type Entity = Accounting['entities'][number];
type Role = JournalLine['account'];
const roles = Object.keys(accountNames) as Role[];

interface AccountsDialogProps {
  readonly entity: Entity;
  readonly onClose: () => void;
}

/** The name of the company, and the account of each role in its books. */
export function AccountsDialog({ entity, onClose }: AccountsDialogProps) {
  const form = usePersistedForm<Record<string, string>>('accounts', toValues(entity));
  const save = useChange({
    send: () =>
      api.putEntity({
        params: { code: entity.code },
        body: {
          name: form.values['name'] ?? '',
          payrollTax: entity.payrollTax,
          accounts: readAccounts(form.values),
        },
      }),
    onDone: () => {
      form.clear();
      showMessage('The accounts were saved.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Accounts"
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ children: 'Save' }}
    >
      <TextField label="Company" maxLength={200} {...form.field('name')} />
      <div className={styles.accounts}>
        {roles.map((role) => (
          <AccountFields key={role} role={role} form={form} />
        ))}
      </div>
    </Dialog>
  );
}

function AccountFields({
  role,
  form,
}: {
  readonly role: Role;
  readonly form: ReturnType<typeof usePersistedForm<Record<string, string>>>;
}) {
  const name = accountNames[role];
  return (
    <>
      <span>{name}</span>
      <InlineInput label={`Number of ${name}`} placeholder="Number" maxLength={50} {...form.field(`${role}.number`)} />
      <InlineInput label={`Name of ${name}`} placeholder="Name" maxLength={200} {...form.field(`${role}.name`)} />
    </>
  );
}

function toValues({ name, accounts }: Entity): Record<string, string> {
  const entries = roles.flatMap((role) => [
    [`${role}.number`, accounts[role]?.number ?? ''],
    [`${role}.name`, accounts[role]?.name ?? ''],
  ]);
  return { name, ...Object.fromEntries(entries) };
}

/** An account without a number is none; without a name it has that of its role. */
function readAccounts(values: Readonly<Record<string, string>>): Entity['accounts'] {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const number = (values[`${role}.number`] ?? '').trim();
      const name = (values[`${role}.name`] ?? '').trim();
      return number === '' ? [] : [[role, { number, name: name === '' ? accountNames[role] : name }]];
    }),
  );
}

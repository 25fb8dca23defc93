import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Person } from '../../api/person-list-queries.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';

type Payee = Pick<Person, 'id' | 'name' | 'payCurrencies'>;

/** In which currency a person is paid; nothing in workspaces without payouts. */
export function PayOfPerson({ person }: { readonly person: Payee }) {
  const hasPayouts = useQuery(workspaceQuery).data?.payouts !== undefined;
  const [isOpen, setOpen] = usePersistedDialog(`pay ${person.id}`);
  if (!hasPayouts) return null;
  const { payCurrencies = [] } = person;
  return (
    <Card title="Currency of payment" action={<Button onClick={() => setOpen(true)}>Change the currency</Button>}>
      {payCurrencies.length === 0 ? <p className="dim">Paid in the currency in which it is earned.</p> : null}
      <ul className={blocks.rows} aria-label="Currencies of payment">
        {payCurrencies.map(({ from, currency }) => (
          <li key={from}>
            <b className="strong">{currency ?? 'as it is earned'}</b>
            <span className="dim">from {formatDay(from, 'year')} on</span>
          </li>
        ))}
      </ul>
      {isOpen ? <CurrencyDialog person={person} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}

function CurrencyDialog({ person, onClose }: { readonly person: Payee; readonly onClose: () => void }) {
  const { id, name, payCurrencies = [] } = person;
  const form = usePersistedForm(`pay ${id}`, { currency: payCurrencies.at(-1)?.currency ?? '', from: '' });
  const currency = form.values.currency.trim().toUpperCase();
  const { from } = form.values;
  const save = useChange({
    send: () =>
      api.updateRep({
        params: { repId: id },
        body: { payCurrency: currency === '' ? null : currency, ...(from === '' ? {} : { payCurrencyFrom: from }) },
      }),
    onDone: () => {
      showMessage(`The currency of ${name} was saved.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`In which currency ${name} is paid`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: currency !== '' && currency.length !== 3, children: 'Save' }}
    >
      <p>Statements that end on or after the day pay in it, at a stored exchange rate. Approved statements stay.</p>
      <TextField
        label="Currency"
        maxLength={3}
        hint="Such as GBP. Empty: the one in which it is earned."
        {...form.field('currency')}
      />
      <TextField label="From" type="date" hint="Today if empty." {...form.field('from')} />
    </Dialog>
  );
}

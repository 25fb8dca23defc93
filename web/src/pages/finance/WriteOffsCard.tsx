import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  debtorsQuery,
  type LiabilityRow,
  liabilityQuery,
  type WriteOff,
  writeOffsQuery,
} from '../../api/finance-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button, buttonClass } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { debtKey, enteredDebt } from '../../features/finance/entered-debt.js';
import { formatDay } from '../../shared/format/dates.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import styles from './Finance.module.css';
import { type BooksProps } from './LiabilityCards.js';
import { ProposalLine } from './ProposalLine.js';

/** What people owe and the company no longer expects. Without a debt and a write-off there is nothing to show. */
export function WriteOffsCard({ month, entity }: BooksProps) {
  const { role } = useSession();
  const writeOffs = useQuery(writeOffsQuery);
  const [isProposing, setProposing] = useState(false);
  const sums = useQuery(liabilityQuery(month, entity, 'currency'));
  const isOwed = (sums.data?.liability ?? []).some(({ receivable }) => receivable > 0);
  const debtors = useQuery({ ...debtorsQuery(month, entity), enabled: isProposing });
  return (
    <Loaded query={writeOffs} height={80}>
      {(all) => {
        const known = all.filter((writeOff) => writeOff.entity === entity);
        return known.length === 0 && !isOwed ? null : (
          <Card
            title="Debts written off"
            note={known.length === 0 ? 'what people owe is a receivable until it is written off' : undefined}
            action={
              role === 'admin' && isOwed ? (
                <div className={styles.buttons}>
                  <Link to="/imports/$kind" params={{ kind: 'writeOffs' }} className={buttonClass()}>
                    Import write-offs
                  </Link>
                  <Button onClick={() => setProposing(true)}>Write off</Button>
                </div>
              ) : undefined
            }
          >
            <ul className={styles.points}>
              {known.map((writeOff) => (
                <WriteOffLine key={writeOff.writeOffId} writeOff={writeOff} />
              ))}
            </ul>
            {isProposing ? (
              <Loaded query={debtors} height={40}>
                {([first, ...others]) =>
                  first === undefined ? null : (
                    <ProposeDialog month={month} debtors={[first, ...others]} onClose={() => setProposing(false)} />
                  )
                }
              </Loaded>
            ) : null}
          </Card>
        );
      }}
    </Loaded>
  );
}

function WriteOffLine({ writeOff }: { readonly writeOff: WriteOff }) {
  const { writeOffId, repName, amount, currency, day, reason, status } = writeOff;
  const params = { writeOffId };
  const approve = useAction({ send: () => api.approveWriteOff({ params }) });
  const withdraw = useAction({ send: () => api.withdrawWriteOff({ params }) });
  return (
    <ProposalLine status={status} approve={approve} withdraw={withdraw}>
      {repName}: <Money amount={amount} currency={currency} /> on {formatDay(day)}. {reason}
    </ProposalLine>
  );
}

interface ProposeProps {
  readonly month: string;
  readonly debtors: readonly [LiabilityRow, ...LiabilityRow[]];
  readonly onClose: () => void;
}

function ProposeDialog({ month, debtors, onClose }: ProposeProps) {
  const [first] = debtors;
  const form = usePersistedForm('write-off', {
    ...enteredDebt(first),
    day: `${month}-01`,
    reason: '',
  });
  const { debtor, amount, day, reason } = form.values;
  const find = (key: string) => debtors.find((each) => debtKey(each) === key) ?? first;
  const { repId, entity, currency } = find(debtor);
  const entered = readNumber(amount);
  const change = useChange({
    send: async () => {
      if (repId !== null && entered !== null)
        await api.proposeWriteOff({ body: { repId, entity, currency, amount: entered, day, reason } });
    },
    onDone: () => {
      form.clear();
      showMessage('Another admin approves the write-off.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Write off a debt"
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: entered === null || reason.trim() === '', children: 'Propose' }}
    >
      <Choice
        label="Person"
        choices={debtors.map((each) => [
          debtKey(each),
          `${each.repName} owes ${formatMoney(each.receivable, each.currency)}`,
        ])}
        value={debtor}
        onChange={({ currentTarget }) => form.change(enteredDebt(find(currentTarget.value)))}
      />
      <TextField
        label={`Amount in ${currency}`}
        inputMode="decimal"
        hint="Later earnings take back what is written off. Statements go on recovering the balance."
        {...form.field('amount')}
      />
      <TextField label="Day" hint="In a month that is open." type="date" {...form.field('day')} />
      <TextField label="Reason" maxLength={1000} {...form.field('reason')} />
    </Dialog>
  );
}

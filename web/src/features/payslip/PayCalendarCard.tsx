import { useQuery } from '@tanstack/react-query';
import { payCalendarQuery } from '../../api/pay-calendar-query.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { type CalendarRow, hasAmounts, listCalendar } from './calendar.js';

interface PayCalendarCardProps {
  readonly repId: string;
  readonly currency: string;
}

/** When how much is paid: what is sure, and with the open deals. Nothing in workspaces without payouts. */
export function PayCalendarCard({ repId, currency }: PayCalendarCardProps) {
  return (
    <Loaded query={useQuery(payCalendarQuery(repId))} height={200}>
      {(calendar) =>
        hasAmounts(calendar) ? (
          <Card title="Pay calendar" note="What the next statements surely pay, and with the open deals" isFlush>
            <DataTable
              caption="What the next statements pay"
              columns={columns}
              rows={listCalendar(calendar, currency)}
              rowKey={({ key }) => key}
              isInset
            />
          </Card>
        ) : null
      }
    </Loaded>
  );
}

const columns: readonly Column<CalendarRow>[] = [
  { key: 'period', header: 'Pay period', phone: 'title', cell: ({ label }) => label },
  { key: 'words', header: 'Includes', phone: 'detail', cell: ({ words }) => <span className="dim">{words}</span> },
  {
    key: 'sure',
    header: 'Sure',
    align: 'right',
    phone: 'amount',
    cell: ({ sure, currency }) => <Money amount={sure} currency={currency} dimsZero />,
  },
  {
    key: 'expected',
    header: 'With open deals',
    align: 'right',
    phone: 'note',
    cell: ({ expected, currency }) => <Money amount={expected} currency={currency} dimsZero />,
  },
];

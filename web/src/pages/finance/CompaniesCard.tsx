import { IconPlus } from '@tabler/icons-react';
import { type Company } from '../../api/finance-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { Button, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Card } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { CompanyDialog } from './CompanyDialog.js';
import { accountNames, frameworks } from './words.js';

/** The companies whose books are kept. An admin opens one, or adds one. */
export function CompaniesCard({ companies }: { readonly companies: readonly Company[] }) {
  const { role } = useSession();
  const today = useToday();
  const [opened, open] = usePersistedChoice<string>('company');
  const isAdmin = role === 'admin';
  return (
    <Card
      title="Companies"
      isFlush
      action={
        isAdmin ? (
          <Button icon={IconPlus} onClick={() => open('new')}>
            Add a company
          </Button>
        ) : undefined
      }
    >
      <DataTable
        caption="Companies whose books are kept"
        columns={columns(today, isAdmin ? (code) => open(`of ${code}`) : null)}
        rows={companies}
        rowKey={({ code }) => code}
        isInset
      />
      {opened === null ? null : (
        <CompanyDialog
          key={opened}
          company={companies.find(({ code }) => opened === `of ${code}`) ?? null}
          taken={companies.map(({ code }) => code)}
          storageKey={`company ${opened}`}
          onClose={() => open(null)}
        />
      )}
    </Card>
  );
}

function columns(today: string, onOpen: ((code: string) => void) | null): readonly Column<Company>[] {
  return [
    {
      key: 'name',
      header: 'Company',
      phone: 'title',
      cell: ({ code, name }) =>
        onOpen === null ? (
          name
        ) : (
          <RowButton {...rowAction} onClick={() => onOpen(code)}>
            {name}
          </RowButton>
        ),
    },
    { key: 'code', header: 'Code', cell: ({ code }) => code },
    { key: 'currency', header: 'Currency', phone: 'detail', cell: ({ currency }) => currency },
    { key: 'framework', header: 'Standard', phone: 'detail', cell: ({ framework }) => frameworks[framework] },
    {
      key: 'tax',
      header: 'Payroll tax',
      align: 'right',
      phone: 'amount',
      cell: ({ payrollTax }) => {
        const present = payrollTax.find(({ from }) => from <= today);
        return present === undefined ? <span className="dim">none</span> : `${formatNumber(present.percent)} %`;
      },
    },
    {
      key: 'accounts',
      header: 'Accounts',
      align: 'right',
      phone: 'note',
      cell: ({ accounts }) => `${Object.keys(accounts).length} of ${Object.keys(accountNames).length} accounts`,
    },
  ];
}

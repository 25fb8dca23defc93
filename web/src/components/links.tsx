import { Link } from '@tanstack/react-router';
import { mayOpen } from '../app/navigation.js';
import { useSession } from '../app/session.js';
import { type Column } from './DataTable.js';
import { rowAction } from './row-keys.js';

interface StatementLinkProps {
  readonly repId: string;
  readonly period: string;
  /** Whether `Enter` on the row of a table opens it. */
  readonly isRow?: boolean;
  readonly className?: string;
  readonly children: React.ReactNode;
}

/** The statement of a person. */
export function StatementLink({ repId, period, isRow = false, className, children }: StatementLinkProps) {
  return (
    <Link
      to="/statements/$repId"
      params={{ repId }}
      search={{ period }}
      className={className ?? 'strong ink'}
      data-key={repId}
      {...(isRow ? rowAction : {})}
    >
      {children}
    </Link>
  );
}

/** The first column of tables with one row per person: the name opens the statement. */
export function personColumn<Row extends { readonly repId: string; readonly name: string }>(
  period: string,
  width?: string,
): Column<Row> {
  return {
    key: 'person',
    header: 'Person',
    width,
    phone: 'title',
    sortBy: ({ name }) => name,
    cell: ({ repId, name }) => (
      <StatementLink repId={repId} period={period} isRow>
        {name}
      </StatementLink>
    ),
  };
}

interface DealLinkProps {
  readonly dealId: string;
  readonly name: string | null;
  readonly isRow?: boolean;
}

/** The page of a deal; its name alone for roles that may not open it. */
export function DealLink({ dealId, name, isRow = false }: DealLinkProps) {
  const { role } = useSession();
  if (!mayOpen(role, `/deals/${dealId}`)) return <span className="strong">{name ?? dealId}</span>;
  return (
    <Link to="/deals/$dealId" params={{ dealId }} className="ink strong" {...(isRow ? rowAction : {})}>
      {name ?? dealId}
    </Link>
  );
}

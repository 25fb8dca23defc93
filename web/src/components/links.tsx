import { Link } from '@tanstack/react-router';
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

interface DealLinkProps {
  readonly dealId: string;
  readonly name: string | null;
  readonly isRow?: boolean;
}

export function DealLink({ dealId, name, isRow = false }: DealLinkProps) {
  return (
    <Link to="/deals/$dealId" params={{ dealId }} className="ink strong" {...(isRow ? rowAction : {})}>
      {name ?? dealId}
    </Link>
  );
}

import { Link } from '@tanstack/react-router';
import { type Fix } from './fixes.js';

interface FixLinkProps {
  readonly fix: Fix;
  /** The deal, for screen readers, where each row has a link. */
  readonly of?: string;
}

/** Opens what removes a reason. */
export function FixLink({ fix: { label, to, search = {} }, of }: FixLinkProps) {
  return (
    <Link to={to as '/deals'} search={search as object} aria-label={of === undefined ? undefined : `${label}: ${of}`}>
      {label}
    </Link>
  );
}

import { useSession } from '../app/session.js';
import { Money } from './Money.js';

interface DealAmountProps {
  /** A number, or an exact sum as decimal text. */
  readonly amount: number | string | null;
  readonly currency: string | null;
}

/** The amount of a deal, with its currency if that is not the one of the workspace. */
export function DealAmount({ amount, currency }: DealAmountProps) {
  const { workspace } = useSession();
  const own = currency ?? workspace.currency;
  return <Money amount={amount} currency={own} unit={own === workspace.currency ? 'none' : 'code'} />;
}

import blocks from './Blocks.module.css';
import { InlineInput } from './Inline.js';

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface DayRangeProps extends Days {
  /** What the days are about, such as Closed. */
  readonly label: string;
  readonly onChange: (change: Days) => void;
}

/** A filter by the first and the last day, of which either may be empty. */
export function DayRange({ label, from, to, onChange }: DayRangeProps) {
  return (
    <span className={blocks.days}>
      <span className="dim" aria-hidden="true">
        {label}
      </span>
      <InlineInput
        label={`${label} from`}
        type="date"
        value={from ?? ''}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value || undefined })}
      />
      <span className="dim" aria-hidden="true">
        to
      </span>
      <InlineInput
        label={`${label} to`}
        type="date"
        value={to ?? ''}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value || undefined })}
      />
    </span>
  );
}

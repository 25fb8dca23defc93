import { useState } from 'react';
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
      <DayInput label={`${label} from`} day={from} onDay={(day) => onChange({ from: day })} />
      <span className="dim" aria-hidden="true">
        to
      </span>
      <DayInput label={`${label} to`} day={to} onDay={(day) => onChange({ to: day })} />
    </span>
  );
}

interface DayInputProps {
  readonly label: string;
  readonly day: string | undefined;
  readonly onDay: (day: string | undefined) => void;
}

/** While the year is typed, the value has years such as 0002 and 0020, which are not reported. */
function DayInput({ label, day, onDay }: DayInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <InlineInput
      label={label}
      type="date"
      value={typed ?? day ?? ''}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        if (value === '' || value >= '1000') onDay(value || undefined);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

import { type ComponentProps, useState } from 'react';
import { readNumber, writeNumber } from '../shared/format/entered-numbers.js';
import { shifted } from '../shared/format/numbers.js';
import { InlineInput } from './Inline.js';

interface DecimalInputProps extends Omit<ComponentProps<typeof InlineInput>, 'value' | 'onChange' | 'inputMode'> {
  readonly value: number | undefined;
  /** 2 for a ratio that is displayed as a percentage. */
  readonly places?: 0 | 2;
  /** Undefined when the input is empty. */
  readonly onValue: (value: number | undefined) => void;
}

/** A number as it is typed. Text that is no number is marked and changes nothing. */
export function DecimalInput({ value, places = 0, onValue, ...rest }: DecimalInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? writeNumber(value === undefined ? undefined : shifted(value, places));
  const isWrong = typed !== null && typed.trim() !== '' && readNumber(typed) === null;
  return (
    <InlineInput
      {...rest}
      inputMode="decimal"
      value={text}
      isWrong={isWrong || rest.isWrong}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const read = readNumber(currentTarget.value);
        if (currentTarget.value.trim() === '') onValue(undefined);
        else if (read !== null) onValue(shifted(read, -places));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

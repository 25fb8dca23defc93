import { type ComponentProps, useState } from 'react';
import { InlineInput } from './Inline.js';

interface DecimalInputProps extends Omit<ComponentProps<typeof InlineInput>, 'value' | 'onChange' | 'inputMode'> {
  readonly value: number | undefined;
  /** 2 for a ratio that is displayed as a percentage. */
  readonly places?: 0 | 2;
  /** Undefined when the input is empty. */
  readonly onValue: (value: number | undefined) => void;
}

/** Moves the decimal point in the text, so that 0.07 becomes 7 and not 7.000000000000001. */
function shifted(value: number, places: number): number {
  const text = String(value);
  return text.includes('e') ? value * 10 ** places : Number(`${text}e${places}`);
}

function textOf(value: number | undefined, places: number): string {
  return value === undefined ? '' : String(shifted(value, places));
}

/** The number of a text with thousands separators, or null. */
export function readDecimal(text: string): number | null {
  const plain = text
    .trim()
    .replace(/[\s\u00a0_’']/g, '')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^-?\d*\.?\d+$|^-?\d+\.$/.test(plain) ? Number(plain) : null;
}

/** A number as it is typed. Text that is no number is marked and changes nothing. */
export function DecimalInput({ value, places = 0, onValue, ...rest }: DecimalInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? textOf(value, places);
  const isWrong = typed !== null && typed.trim() !== '' && readDecimal(typed) === null;
  return (
    <InlineInput
      {...rest}
      inputMode="decimal"
      value={text}
      isWrong={isWrong || rest.isWrong}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const read = readDecimal(currentTarget.value);
        if (currentTarget.value.trim() === '') onValue(undefined);
        else if (read !== null) onValue(shifted(read, -places));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

import { useEffect, useRef } from 'react';
import styles from './OtpInput.module.css';
import { codeAfter, codeLength, codeWithout } from './otp-code.js';

interface OtpInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called with the code when its last digit is entered. */
  readonly onComplete: (value: string) => void;
  readonly describedBy?: string;
}

const places = Array.from({ length: codeLength }, (_, position) => position);

/** Six boxes for a code. They accept pasting, advance by themselves, and go back with the backspace key. */
export function OtpInput({ value, onChange, onComplete, describedBy }: OtpInputProps) {
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const enter = (position: number, text: string) => {
    const next = codeAfter(value, position, text);
    onChange(next);
    boxes.current[Math.min(next.length, places.length - 1)]?.focus();
    if (next.length === places.length) onComplete(next);
  };
  const press = (position: number, event: React.KeyboardEvent) => {
    // A digit that is the same as the selected one changes no value.
    if (/^\d$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      enter(position, event.key);
    }
    if (event.key !== 'Backspace') return;
    event.preventDefault();
    const { code, box } = codeWithout(value, position);
    onChange(code);
    boxes.current[box]?.focus();
  };
  useEffect(() => {
    if (value === '' && boxes.current.some((box) => box === document.activeElement)) boxes.current[0]?.focus();
  }, [value]);
  return (
    <fieldset className={styles.code}>
      <legend className="unseen">Code of six digits</legend>
      {places.map((position) => (
        <input
          key={position}
          ref={(box) => {
            boxes.current[position] = box;
          }}
          className={styles.digit}
          inputMode="numeric"
          autoComplete={position === 0 ? 'one-time-code' : 'off'}
          aria-label={`Digit ${position + 1} of 6`}
          aria-describedby={describedBy}
          value={value[position] ?? ''}
          // biome-ignore lint/a11y/noAutofocus: the code is the only thing to enter on this page
          autoFocus={position === 0}
          onChange={({ currentTarget }) => enter(position, currentTarget.value)}
          onKeyDown={(event) => press(position, event)}
          onPaste={(event) => {
            event.preventDefault();
            enter(0, event.clipboardData.getData('text'));
          }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      ))}
    </fieldset>
  );
}

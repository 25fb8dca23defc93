import { useRef } from 'react';
import styles from './OtpInput.module.css';

interface OtpInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called with the code when its last digit is entered. */
  readonly onComplete: (value: string) => void;
  readonly describedBy?: string;
}

const places = [0, 1, 2, 3, 4, 5];

/** Six boxes for a code. They accept pasting, advance by themselves, and go back with the backspace key. */
export function OtpInput({ value, onChange, onComplete, describedBy }: OtpInputProps) {
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const enter = (place: number, text: string) => {
    const digits = text.replace(/\D/g, '');
    const next = (value.slice(0, place) + digits).slice(0, places.length);
    onChange(next);
    boxes.current[Math.min(next.length, places.length - 1)]?.focus();
    if (next.length === places.length) onComplete(next);
  };
  const press = (place: number, event: React.KeyboardEvent) => {
    if (event.key !== 'Backspace') return;
    event.preventDefault();
    onChange(value.slice(0, Math.max(0, place < value.length ? place : value.length - 1)));
    boxes.current[Math.max(0, place < value.length ? place : value.length - 1)]?.focus();
  };
  return (
    <fieldset className={styles.code}>
      <legend className="unseen">Code of six digits</legend>
      {places.map((place) => (
        <input
          key={place}
          ref={(box) => {
            boxes.current[place] = box;
          }}
          className={styles.digit}
          inputMode="numeric"
          autoComplete={place === 0 ? 'one-time-code' : 'off'}
          aria-label={`Digit ${place + 1} of 6`}
          aria-describedby={describedBy}
          value={value[place] ?? ''}
          // biome-ignore lint/a11y/noAutofocus: the code is the only thing to enter on this page
          autoFocus={place === 0}
          onChange={({ currentTarget }) =>
            enter(Math.min(place, value.length), currentTarget.value.slice(place < value.length ? 1 : 0))
          }
          onKeyDown={(event) => press(place, event)}
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

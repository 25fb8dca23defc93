import { InlineInput, InlineSelect } from '../../components/Inline.js';
import { newFieldPrefix, newNameOf } from '../../features/imports/kind.js';

interface TargetSelectProps {
  /** The name of the column in the file. */
  readonly column: string | undefined;
  readonly target: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly isGuess?: boolean;
  readonly onChange: (target: string) => void;
}

/** Where a column of a file goes; a new field gets a name. */
export function TargetSelect({ column, target, choices, isGuess, onChange }: TargetSelectProps) {
  const newName = newNameOf(target);
  return (
    <>
      <InlineSelect
        label={`Where ${column} goes`}
        value={newName === null ? target : newFieldPrefix}
        isGuess={isGuess}
        choices={choices}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {newName === null ? null : (
        <InlineInput
          label={`Name of the new field of ${column}`}
          placeholder="Name"
          isWrong={newName === ''}
          value={target.slice(newFieldPrefix.length)}
          onChange={({ currentTarget }) => onChange(`${newFieldPrefix}${currentTarget.value}`)}
        />
      )}
    </>
  );
}

import { Choice, TextField } from '../../components/Field.js';
import { type PersonField } from './person-fields.js';

interface FieldInputProps {
  readonly field: PersonField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The value of a field of people, entered by its type. */
export function FieldInput({ field: { label, type, options = [] }, value, onChange }: FieldInputProps) {
  const props = {
    label,
    value,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  };
  if (type === 'select')
    return <Choice {...props} choices={[['', 'none'], ...options.map((option) => [option, option] as const)]} />;
  return <TextField {...props} type={type === 'date' ? 'date' : 'text'} />;
}

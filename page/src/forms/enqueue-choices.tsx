import type { EnqueueChoices, FieldError, ParamsField } from '../../../lib/dashboard/api.js';
import { FieldFrame } from './field-frame.js';
import { DateControl, NumberControl, TextControl } from './value-controls.js';
import { CheckingContext } from './violations.js';
import { withPart } from './with-part.js';

type Choice = Omit<ParamsField, 'required'> & { readonly label: string };

const choices: readonly (Choice & { name: keyof EnqueueChoices })[] = [
  { name: 'in', label: 'Delay', type: 'string', description: 'as in 90s, 5m, 2h' },
  { name: 'at', label: 'Or at', type: 'date' },
  { name: 'queue', label: 'Queue', type: 'string', description: 'another one than the job’s own' },
  { name: 'priority', label: 'Priority', type: 'integer', description: '−1000 to 1000, lower first' },
  { name: 'retries', label: 'Retries', type: 'integer', description: 'attempts after the first' },
  { name: 'timeout', label: 'Timeout', type: 'string', description: 'as in 30s' },
  { name: 'keep', label: 'Keep', type: 'string', description: 'how long it stays after success, as in 1h' },
  { name: 'id', label: 'Id', type: 'string', description: 'the same id twice is one task' },
];

/** When, where and how often, where the job's own answers do not suit. */
export function EnqueueChoicesView({
  value,
  onChange,
  violations,
}: {
  value: EnqueueChoices;
  onChange: (value: EnqueueChoices) => void;
  violations: readonly FieldError[];
}) {
  const put = (name: keyof EnqueueChoices, part: unknown) => onChange(withPart(value, name, part));
  return (
    <CheckingContext.Provider value={{ violations, isShown: () => true, touch: () => undefined }}>
      <div class="choices-grid">
        {choices.map(({ name, label, ...field }) => (
          <FieldFrame key={name} path={name} label={label} field={field}>
            {(control) => {
              if (field.type === 'integer')
                return (
                  <NumberControl control={control} value={value[name]} onChange={(part) => put(name, part)} />
                );
              if (field.type === 'date')
                return (
                  <DateControl
                    control={control}
                    value={value.at === undefined ? undefined : new Date(value.at).toISOString()}
                    onChange={(part) => put(name, typeof part === 'string' ? Date.parse(part) : undefined)}
                  />
                );
              return (
                <TextControl
                  control={control}
                  value={value[name]}
                  onChange={(part) => put(name, part)}
                  isRequired={false}
                  isLong={false}
                />
              );
            }}
          </FieldFrame>
        ))}
      </div>
    </CheckingContext.Provider>
  );
}

import { useState } from 'preact/hooks';
import type { JobForm, ParamsValue } from '../../../lib/dashboard/api.js';
import { FieldFrame } from './field-frame.js';
import { Fields, Wrong } from './params-field.js';
import { holdsNotJson, JsonControl } from './value-controls.js';

const anyJson: ParamsValue = { type: 'unknown' };

/** The params as fields, or as one text of JSON. */
export function ParamsEditor({
  form: { source, fields },
  value,
  onChange,
}: {
  form: JobForm;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [isText, setText] = useState(false);
  if (source === 'none') return <p class="faint">This job has no params.</p>;
  if (!fields || isText)
    return (
      <>
        <FieldFrame path="" field={anyJson} label="Params, as JSON">
          {(control) => <JsonControl control={control} value={value} onChange={onChange} rows={10} />}
        </FieldFrame>
        {fields && (
          <button
            type="button"
            class="button is-small is-quiet"
            disabled={holdsNotJson(value)}
            onClick={() => setText(false)}
          >
            Fill in fields instead
          </button>
        )}
      </>
    );
  return (
    <>
      {fields.length === 0 && <p class="faint">This job has no params.</p>}
      <Fields path="" fields={fields} value={value} onChange={onChange} />
      <Wrong path="" children={fields.map(({ name }) => name)} />
      {fields.length > 0 && (
        <button
          type="button"
          class="button is-small is-quiet"
          disabled={holdsNotJson(value)}
          onClick={() => setText(true)}
        >
          Write JSON instead
        </button>
      )}
    </>
  );
}

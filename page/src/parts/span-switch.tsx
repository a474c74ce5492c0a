export type ChartSpan = 'hour' | 'day';

export function spanWordsOf(span: ChartSpan): string {
  return span === 'hour' ? 'last hour' : 'last 24 hours';
}

export function SpanSwitch({ span, onChange }: { span: ChartSpan; onChange: (span: ChartSpan) => void }) {
  return (
    <div class="switch" role="group" aria-label="Time on the charts">
      {(['hour', 'day'] as const).map((each) => (
        <button key={each} type="button" aria-pressed={each === span} onClick={() => onChange(each)}>
          {each === 'hour' ? 'Last hour' : 'Last day'}
        </button>
      ))}
    </div>
  );
}

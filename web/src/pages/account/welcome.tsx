import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { cx } from '../../lib/cx.ts'
import { meQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { nextStepOf } from './agents.ts'
import * as strings from './strings.ts'

type WelcomeQuestion = { name: string; title: string; options: string[]; many?: boolean }

const QUESTIONS: WelcomeQuestion[] = [
  {
    name: 'role',
    title: strings.whatDoYouDo,
    options: ['Build software', 'Lead a team', 'Run systems', 'Something else'],
  },
  {
    name: 'team_size',
    title: strings.howManyPeople,
    options: ['Just me', '2 to 10', '11 to 50', 'More than 50'],
  },
  {
    name: 'agents',
    title: strings.whichAgents,
    options: ['Claude Code', 'Cursor', 'VS Code', 'Another', 'None yet'],
    many: true,
  },
  {
    name: 'first_goal',
    title: strings.whatFirst,
    options: ['Find fixes', 'Keep what I learn', 'Give my agent memory', 'Share with my team'],
  },
]

export function Welcome() {
  const navigate = useNavigate()
  const [answers, setAnswers] = useState<Record<string, string | string[]>>({})
  const save = useMutation({
    mutationFn: () => call('POST /api/v1/auth/onboarding', { answers }),
    onSuccess: (user) => {
      queryClient.setQueryData(meQuery.queryKey, (before) => ({ ...before, ...user }))
      return navigate({ to: nextStepOf(answers) })
    },
  })
  const chosen = (question: WelcomeQuestion, option: string) =>
    question.many
      ? (answers[question.name] as string[] | undefined)?.includes(option)
      : answers[question.name] === option
  const choose = (question: WelcomeQuestion, option: string) => {
    if (!question.many) return setAnswers({ ...answers, [question.name]: option })
    const before = (answers[question.name] as string[] | undefined) ?? []
    setAnswers({
      ...answers,
      [question.name]: before.includes(option) ? before.filter((one) => one !== option) : [...before, option],
    })
  }
  return (
    <Page title={strings.welcome} lead={strings.welcomeLead} narrow>
      <form
        className="grid gap-6"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        {QUESTIONS.map((question) => (
          <fieldset key={question.name}>
            <legend className="mb-2 text-sm font-medium">
              {question.title}
              {question.many && <span className="font-normal text-faint">{strings.anyNumber}</span>}
            </legend>
            <div className="flex flex-wrap gap-2">
              {question.options.map((option) => (
                <label
                  key={option}
                  className={cx(
                    'flex min-h-8 items-center rounded-md border px-3 text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-10',
                    chosen(question, option)
                      ? 'border-accent bg-chosen text-accent-strong'
                      : 'border-line-strong bg-panel hover:bg-hover',
                  )}
                >
                  <input
                    type={question.many ? 'checkbox' : 'radio'}
                    name={question.name}
                    className="sr-only"
                    checked={Boolean(chosen(question, option))}
                    onChange={() => choose(question, option)}
                  />
                  {option}
                </label>
              ))}
            </div>
          </fieldset>
        ))}
        <FormError error={save.error} />
        <div className="flex gap-2">
          <Button type="submit" look="primary" busy={save.isPending}>
            {strings.continueLabel}
          </Button>
        </div>
      </form>
    </Page>
  )
}

import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Material } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

const PAGE_SIZE = 30
const route = getRouteApi('/app/memory/materials')

const materialsQuery = (page: number) =>
  queryOptions({
    queryKey: ['materials', page],
    queryFn: ({ signal }) => call('GET /api/v1/raw-materials', { page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

const nameOf = (material: Material) => material.title || material.content.slice(0, 80)

/** The server's rule: the owner, and admins of the workspace. */
function useMayDelete(): (material: Material) => boolean {
  const me = useMe()
  const { data } = useQuery(workspacesQuery)
  return ({ owner_id, workspace_id }) =>
    owner_id === me.user_id ||
    data?.items.some((one) => one.workspace_id === workspace_id && one.role === 'admin') === true
}

export function MaterialsPage() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const [reading, setReading] = useState<Material | null>(null)
  const [deleting, setDeleting] = useState<Material | null>(null)
  const materials = useQuery(materialsQuery(page))
  const mayDelete = useMayDelete()
  const total = materials.data?.total ?? 0
  const open = (next: number) => void navigate({ search: { page: next > 1 ? next : undefined } })
  return (
    <Page
      title={strings.rawMaterials}
      lead={strings.materialsLead}
      back={<BackLink to="/memory">{strings.agentMemory}</BackLink>}
    >
      {!materials.data && (
        <NotLoaded query={materials}>
          <SkeletonList rows={4} />
        </NotLoaded>
      )}
      {materials.data && total === 0 && (
        <EmptyState icon={<FileText size={18} />} title={strings.noRawMaterials}>
          {strings.materialsHint}
        </EmptyState>
      )}
      {materials.data && materials.data.items.length > 0 && (
        <ul aria-label={strings.rawMaterials} className="divide-y divide-line border-y border-line">
          {materials.data.items.map((material) => (
            <li key={material.raw_id} className="flex min-h-14 items-center gap-2 px-2 py-1">
              <button
                type="button"
                className="min-w-0 grow rounded-md px-1 py-1.5 text-left transition-colors hover:bg-hover"
                onClick={() => setReading(material)}
              >
                <span className="block truncate text-sm font-medium">{nameOf(material)}</span>
                <span className="flex flex-wrap items-center gap-2 text-xs text-faint">
                  <Badge>{material.kind}</Badge>
                  {formatAgo(material.created_at)}
                </span>
              </button>
              {mayDelete(material) && (
                <IconButton
                  label={strings.deleteMaterial(nameOf(material))}
                  onClick={() => setDeleting(material)}
                >
                  <Trash2 size={16} />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {total > 0 && <Pager page={page} pageSize={PAGE_SIZE} total={total} onPage={open} />}
      {reading && <ReadMaterial material={reading} onClose={() => setReading(null)} />}
      {deleting && <DeleteMaterial material={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  )
}

/** Lists have only the beginning of a text. */
function ReadMaterial({ material, onClose }: { material: Material; onClose: () => void }) {
  const whole = useQuery({
    queryKey: ['materials', 'one', material.raw_id],
    queryFn: ({ signal }) =>
      call('GET /api/v1/raw-materials/{raw_id}', { raw_id: material.raw_id }, { signal }),
    enabled: material.truncated,
  })
  const text = whole.data?.content ?? material.content
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={nameOf(material)}
      footer={<CopyButton text={text}>{strings.copy}</CopyButton>}
    >
      <pre className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
      <FormError error={whole.error} />
    </Dialog>
  )
}

function DeleteMaterial({ material, onClose }: { material: Material; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/raw-materials/{raw_id}', { raw_id: material.raw_id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['materials'] })
      onClose()
      toast(strings.materialDeleted)
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title={strings.deleteRawMaterial}
      action={strings.deleteLabel}
    >
      <p>{strings.deleteMaterialWarning(nameOf(material))}</p>
      <FormError error={remove.error} />
    </ConfirmDialog>
  )
}

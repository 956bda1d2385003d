// Calls every operation below /api/ and prints what it saw; generated-clients.test.ts says what that must be.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"

	"waymark.test/client/waymark"

	"github.com/oapi-codegen/nullable"
)

var ctx = context.Background()

func clientWith(token string) *waymark.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	return must(waymark.NewClientWithResponses(os.Getenv("BASE_URL"), waymark.WithRequestEditorFn(authorize)))
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func pointer[Value any](value Value) *Value { return &value }

func operation[Of any](from func(*waymark.BulkOperation, Of) error, value Of) waymark.BulkOperation {
	var one waymark.BulkOperation
	if err := from(&one, value); err != nil {
		log.Fatal(err)
	}
	return one
}

func main() {
	client := clientWith(os.Getenv("API_KEY"))
	seen := map[string]any{}
	seen["me"] = must(client.GetMeWithResponse(ctx)).JSON200.KeyScope

	created := must(client.CreateLinkWithResponse(ctx,
		&waymark.CreateLinkParams{IdempotencyKey: pointer("generated")},
		waymark.CreateLinkInput{
			DestinationUrl: "https://example.com/",
			Title:          nullable.NewNullableWithValue("Created"),
			Hashtags:       nullable.NewNullableWithValue([]string{"kept"}),
			AutoMeta:       pointer(false),
		})).JSON201
	id := created.Id
	seen["created"] = []any{created.Title, created.Hashtags, created.Visibility}
	update := func(input waymark.UpdateLinkInput) *waymark.Link {
		return must(client.UpdateLinkWithResponse(ctx, id, input)).JSON200
	}
	updated := update(waymark.UpdateLinkInput{Title: nullable.NewNullableWithValue("Updated")})
	seen["updated"] = []any{updated.Title, updated.Hashtags}
	emptied := update(waymark.UpdateLinkInput{
		Hashtags:   nullable.NewNullableWithValue([]string{}),
		Visibility: pointer(waymark.Unlisted),
	})
	seen["emptied"] = []any{emptied.Title, emptied.Hashtags}
	seen["got"] = must(client.GetLinkWithResponse(ctx, id)).JSON200.Visibility
	results := must(client.BulkEditLinksWithResponse(ctx, nil, waymark.BulkInput{Operations: []waymark.BulkOperation{
		operation((*waymark.BulkOperation).FromCreateOperation, waymark.CreateOperation{Link: waymark.CreateLinkInput{
			DestinationUrl: "https://example.org/",
			Title:          nullable.NewNullableWithValue("Bulk"),
		}}),
		operation((*waymark.BulkOperation).FromUpdateOperation, waymark.UpdateOperation{Id: id, Link: waymark.UpdateLinkInput{
			Title: nullable.NewNullableWithValue("Changed"),
		}}),
		operation((*waymark.BulkOperation).FromUpsertOperation, waymark.UpsertOperation{Link: waymark.UpsertLinkInput{
			Slug:  created.Slug,
			Title: nullable.NewNullableWithValue("Upserted"),
		}}),
		operation((*waymark.BulkOperation).FromDeleteOperation, waymark.DeleteOperation{Id: "unknown"}),
		operation((*waymark.BulkOperation).FromDeleteOperation, waymark.DeleteOperation{Id: id}),
	}})).JSON200.Results
	bulk := []any{}
	for _, one := range results {
		if one.Link != nil {
			bulk = append(bulk, []any{one.Status, one.Link.Title})
		} else {
			bulk = append(bulk, []any{one.Status, one.Error})
		}
	}
	seen["bulk"] = bulk
	id = results[0].Link.Id
	list := must(client.ListLinksWithResponse(ctx, &waymark.ListLinksParams{
		Q: pointer("bulk"), Visibility: pointer(waymark.Public), Sort: pointer(waymark.ListLinksParamsSortTitle), Per: pointer(10),
	})).JSON200
	seen["listed"] = []any{list.Total, list.Links[0].Title}
	qrCode := func(params waymark.GetQrCodeParams) []byte {
		return must(client.GetQrCodeWithResponse(ctx, id, &params)).Body
	}
	seen["png"] = hex.EncodeToString(qrCode(waymark.GetQrCodeParams{Format: pointer(waymark.Png), Size: pointer(128)})[:8])
	seen["svg"] = string(qrCode(waymark.GetQrCodeParams{})[:4])
	export := func(params waymark.ExportLinksParams) []byte {
		return must(client.ExportLinksWithResponse(ctx, &params)).Body
	}
	seen["csv"] = string(export(waymark.ExportLinksParams{Q: pointer("bulk"), Format: pointer(waymark.ExportLinksParamsFormatCsv)})[:8])
	var exported waymark.Link
	must(0, json.Unmarshal(export(waymark.ExportLinksParams{Q: pointer("bulk")}), &exported))
	seen["ndjson"] = exported.Title
	analytics := must(client.GetAnalyticsWithResponse(ctx, &waymark.GetAnalyticsParams{
		Days: pointer(7), Tz: pointer("Europe/Berlin"),
	})).JSON200
	seen["analytics"] = []int{analytics.Days, analytics.Clicks, len(*analytics.ClicksByDay)}
	clicks := must(client.ListClicksWithResponse(ctx, &waymark.ListClicksParams{
		LinkId: &id, Format: pointer(waymark.ListClicksParamsFormatCsv),
	}))
	seen["clicks"] = string(clicks.Body[:7])
	must(client.DeleteClicksWithResponse(ctx, id))
	forgotten := must(client.DeleteClicksWithResponse(ctx, "unknown"))
	seen["forgotten"] = []any{forgotten.StatusCode(), forgotten.JSON404.Error}
	seen["page"] = must(client.ReadAutoMetaWithResponse(ctx, nil)).StatusCode()
	job := must(client.StartJobWithResponse(ctx, nil, waymark.JobInput{
		Kind:   "edit",
		Filter: waymark.JobFilter{Q: pointer("bulk")},
		Change: &waymark.JobChange{AddHashtags: pointer([]string{"jobbed"})},
	})).JSON200
	seen["job"] = []any{job.State, job.Changed}
	hashtags := []any{}
	for _, one := range must(client.ListHashtagsWithResponse(ctx)).JSON200.Hashtags {
		hashtags = append(hashtags, []any{one.Hashtag, one.Links})
	}
	seen["hashtags"] = hashtags
	event := must(client.ListEventsWithResponse(ctx, &waymark.ListEventsParams{
		Types: pointer("link.created"), Limit: pointer(1),
	})).JSON200.Events[0]
	seen["events"] = []any{event.Type, event.Actor.Kind}
	made := must(client.CreateWebhookWithResponse(ctx, waymark.CreateWebhookInput{
		Url: "https://example.com/hook", Types: []waymark.WebhookType{"link.created"},
	})).JSON201
	stopped := must(client.UpdateWebhookWithResponse(ctx, made.Id, waymark.UpdateWebhookInput{
		Enabled: pointer(false),
	})).JSON200
	renewed := must(client.RotateWebhookSecretWithResponse(ctx, made.Id)).JSON200
	must(client.ReplayWebhookWithResponse(ctx, made.Id, waymark.ReplayInput{After: event.Id}))
	url := must(client.GetWebhookWithResponse(ctx, made.Id)).JSON200.Url
	deliveries := must(client.ListDeliveriesWithResponse(ctx, made.Id)).JSON200.Deliveries
	must(client.TestWebhookWithResponse(ctx, made.Id))
	must(client.DeleteWebhookWithResponse(ctx, made.Id))
	left := must(client.ListWebhooksWithResponse(ctx)).JSON200.Webhooks
	seen["webhooks"] = []any{
		made.Secret[:6], url, stopped.Enabled, renewed.Secret == made.Secret, len(deliveries), len(left),
	}
	seen["rejected"] = string(must(client.ListRefusedWithResponse(ctx, job.Id)).Body[:9])
	over := must(client.CancelJobWithResponse(ctx, job.Id))
	seen["over"] = []any{over.StatusCode(), over.JSON422.Error}
	undo := must(client.UndoJobWithResponse(ctx, job.Id, nil)).JSON200
	seen["undone"] = must(client.GetJobWithResponse(ctx, undo.Id)).JSON200.Kind
	file := strings.NewReader("url\nhttps://example.com/\n")
	imported := must(client.StartImportWithBodyWithResponse(ctx, nil, "application/octet-stream", file)).JSON202
	for imported.FinishedAt.IsNull() {
		imported = must(client.GetJobWithResponse(ctx, imported.Id)).JSON200
	}
	seen["imported"] = []any{imported.Kind, imported.Created}
	seen["jobs"] = len(must(client.ListJobsWithResponse(ctx)).JSON200.Jobs)
	must(client.DeleteLinkWithResponse(ctx, id))
	refused := must(client.GetLinkWithResponse(ctx, id))
	seen["refused"] = []any{refused.StatusCode(), refused.JSON404.Error}
	invalid := must(client.ListLinksWithResponse(ctx, &waymark.ListLinksParams{Per: pointer(101)}))
	seen["invalid"] = []any{invalid.StatusCode(), invalid.JSON422.Error}

	session := must(client.CreateSessionWithResponse(ctx, waymark.CreateSessionInput{
		Token: os.Getenv("SIGN_IN_TOKEN"),
	})).JSON201
	owner := clientWith(session.Token)
	scopes := func() []waymark.KeyScope {
		found := []waymark.KeyScope{}
		for _, key := range must(owner.ListKeysWithResponse(ctx)).JSON200.Keys {
			found = append(found, key.Scope)
		}
		return found
	}
	seen["keys"] = scopes()
	seen["rotated"] = must(owner.RotateKeyWithResponse(ctx, waymark.PublicLinksOnly, waymark.RotateKeyInput{})).JSON200.Key[:8]
	must(owner.RevokeKeyWithResponse(ctx, waymark.PublicLinksOnly))
	seen["left"] = len(scopes())
	restricted := must(owner.CreateRestrictedKeyWithResponse(ctx, waymark.CreateRestrictedKeyInput{
		Name:    "Reader",
		Scope:   waymark.FullAccess,
		Actions: []waymark.KeyAction{waymark.KeyActionRead},
	})).JSON201
	restrictedKeys := func() []waymark.RestrictedKey {
		return must(owner.ListRestrictedKeysWithResponse(ctx)).JSON200.Keys
	}
	reader := restrictedKeys()[0]
	must(owner.DeleteRestrictedKeyWithResponse(ctx, restricted.Id))
	seen["restricted"] = []any{restricted.Key[:8], reader.Name, reader.Actions, len(restrictedKeys())}
	saved := must(owner.SaveFilterWithResponse(ctx, waymark.SaveFilterInput{
		Name: "Sale", Query: waymark.SavedFilterQuery{Hashtag: pointer("sale")},
	})).JSON201
	savedFilters := func() []waymark.SavedFilter {
		return must(owner.ListSavedFiltersWithResponse(ctx)).JSON200.Filters
	}
	filters := []string{savedFilters()[0].Name}
	must(owner.DeleteSavedFilterWithResponse(ctx, saved.Id))
	seen["filters"] = []any{saved.Query.Hashtag, filters, len(savedFilters())}
	host := must(client.AddHostWithResponse(ctx, waymark.AddHostInput{Host: "go.example.com"})).JSON201
	rootURL := nullable.NewNullableWithValue("https://example.com/")
	rooted := must(client.UpdateHostWithResponse(ctx, host.Id, waymark.UpdateHostInput{RootUrl: rootURL})).JSON200
	hosts := len(must(client.ListHostsWithResponse(ctx)).JSON200.Hosts)
	name := must(client.GetHostWithResponse(ctx, host.Id)).JSON200.Host
	looked := must(client.VerifyHostWithResponse(ctx, host.Id)).JSON200.Status
	must(client.DeleteHostWithResponse(ctx, host.Id))
	gone := must(client.GetHostWithResponse(ctx, host.Id)).StatusCode()
	seen["hosts"] = []any{host.Status, rooted.RootUrl, hosts, name, looked, gone}
	nothing := map[string]interface{}{}
	options := *must(owner.CreatePasskeyOptionsWithResponse(ctx)).JSON200
	added := must(owner.AddPasskeyWithResponse(ctx, waymark.AddPasskeyInput{Name: "Generated", Response: nothing}))
	deleted := must(owner.DeletePasskeyWithResponse(ctx, "unknown"))
	signInOptions := *must(client.CreateSignInOptionsWithResponse(ctx)).JSON200
	signIn := must(client.CreatePasskeySessionWithResponse(ctx, waymark.PasskeySignInInput{Response: nothing}))
	seen["passkeys"] = []any{
		options["attestation"], len(must(owner.ListPasskeysWithResponse(ctx)).JSON200.Passkeys), added.StatusCode(),
		deleted.StatusCode(), signInOptions["userVerification"], signIn.StatusCode(),
	}
	account := must(owner.ListSessionAccountsWithResponse(ctx)).JSON200.Accounts[0]
	switched := must(owner.SwitchSessionWithResponse(ctx, waymark.SwitchSessionInput{Username: "unknown"}))
	seen["accounts"] = []any{account.Role, account.Current, switched.StatusCode()}
	must(owner.DeleteCurrentSessionWithResponse(ctx))
	must(0, json.NewEncoder(os.Stdout).Encode(seen))
}

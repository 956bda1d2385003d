import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import waymark.ApiClient;
import waymark.ApiException;
import waymark.api.*;
import waymark.api.AnalyticsApi.*;
import waymark.api.EventsApi.*;
import waymark.api.JobsApi.*;
import waymark.api.LinksApi.*;
import waymark.model.*;

/** Calls every operation below /api/ and prints what it saw; generated-clients.test.ts says what that must be. */
public class Use {
  static ApiClient clientWith(String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    return client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
  }

  /** Sends a file as it is. The generated client would send its name as JSON. */
  static class FileAsItIs extends StdSerializer<File> {
    FileAsItIs() {
      super(File.class);
    }

    @Override
    public void serialize(File file, JsonGenerator body, SerializerProvider provider) throws IOException {
      body.writeRaw(Files.readString(file.toPath()));
    }
  }

  /** Imports files. A mapper that ignores unknown fields cannot tell a job from a preview. */
  static JobsApi importerWith(String token) {
    SimpleModule files = new SimpleModule().addSerializer(new FileAsItIs());
    ApiClient client = clientWith(token);
    ObjectMapper mapper = client.getObjectMapper().registerModule(files);
    return new JobsApi(client.setObjectMapper(mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)));
  }

  interface Call {
    Object get() throws ApiException;
  }

  static List<Object> refusal(Call call) throws Exception {
    try {
      return List.of(call.get());
    } catch (ApiException refused) {
      return List.of(refused.getCode(), new ObjectMapper().readTree(refused.getResponseBody()).get("error").asText());
    }
  }

  static String text(File file) throws Exception {
    return Files.readString(file.toPath());
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = clientWith(System.getenv("API_KEY"));
    LinksApi links = new LinksApi(client);
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("me", new AccountApi(client).getMe().getKeyScope().getValue());

    CreateLinkInput input =
        new CreateLinkInput()
            .destinationUrl("https://example.com/")
            .title("Created")
            .addHashtagsItem("kept")
            .autoMeta(false);
    APICreateLinkRequest.Builder create = APICreateLinkRequest.newBuilder();
    Link created = links.createLink(create.createLinkInput(input).idempotencyKey("generated").build());
    String id = created.getId();
    seen.put("created", List.of(created.getTitle(), created.getHashtags(), created.getVisibility().getValue()));
    Link updated = links.updateLink(id, new UpdateLinkInput().title("Updated"));
    seen.put("updated", List.of(updated.getTitle(), updated.getHashtags()));
    UpdateLinkInput empties = new UpdateLinkInput().hashtags(List.of()).visibility(Visibility.UNLISTED);
    Link emptied = links.updateLink(id, empties);
    seen.put("emptied", List.of(emptied.getTitle(), emptied.getHashtags()));
    seen.put("got", links.getLink(id).getVisibility().getValue());
    CreateLinkInput another = new CreateLinkInput().destinationUrl("https://example.org/").title("Bulk");
    UpdateLinkInput change = new UpdateLinkInput().title("Changed");
    UpsertLinkInput upserted =
        new UpsertLinkInput().slug(created.getSlug()).destinationUrl("https://example.com/").title("Upserted");
    List<BulkOperation> operations =
        List.of(
            new BulkOperation(new CreateOperation().op(CreateOperation.OpEnum.CREATE).link(another)),
            new BulkOperation(new UpdateOperation().op(UpdateOperation.OpEnum.UPDATE).id(id).link(change)),
            new BulkOperation(new UpsertOperation().op(UpsertOperation.OpEnum.UPSERT).link(upserted)),
            new BulkOperation(new DeleteOperation().op(DeleteOperation.OpEnum.DELETE).id("unknown")),
            new BulkOperation(new DeleteOperation().op(DeleteOperation.OpEnum.DELETE).id(id)));
    List<BulkResult> results = links.bulkEditLinks(new BulkInput().operations(operations), null).getResults();
    seen.put(
        "bulk",
        results.stream()
            .map(one -> new Object[] {one.getStatus(), one.getLink() == null ? one.getError() : one.getLink().getTitle()})
            .toList());
    String bulkId = results.get(0).getLink().getId();
    APIListLinksRequest.Builder listed = APIListLinksRequest.newBuilder().q("bulk");
    LinkList list = links.listLinks(listed.visibility(Visibility.PUBLIC).sort("title").per(10).build());
    seen.put("listed", List.of(list.getTotal(), list.getLinks().get(0).getTitle()));
    APIGetQrCodeRequest.Builder image = APIGetQrCodeRequest.newBuilder().id(bulkId);
    String svg = text(links.getQrCode(image.build()));
    byte[] png = Files.readAllBytes(links.getQrCode(image.format("png").size(128).build()).toPath());
    seen.put("png", HexFormat.of().formatHex(png, 0, 8));
    seen.put("svg", svg.substring(0, 4));
    APIExportLinksRequest.Builder export = APIExportLinksRequest.newBuilder().q("bulk");
    String ndjson = text(links.exportLinks(export.build()));
    seen.put("csv", text(links.exportLinks(export.format("csv").build())).substring(0, 8));
    seen.put("ndjson", client.getObjectMapper().readValue(ndjson, Link.class).getTitle());
    Analytics analytics =
        new AnalyticsApi(client)
            .getAnalytics(APIGetAnalyticsRequest.newBuilder().days(7).tz("Europe/Berlin").build());
    seen.put("analytics", List.of(analytics.getDays(), analytics.getClicks(), analytics.getClicksByDay().size()));
    APIListClicksRequest clicks = APIListClicksRequest.newBuilder().linkId(bulkId).format("csv").build();
    seen.put("clicks", text(new AnalyticsApi(client).listClicks(clicks)).substring(0, 7));
    links.deleteClicks(bulkId);
    Call forgetting = () -> {
      links.deleteClicks("unknown");
      return "forgotten";
    };
    seen.put("forgotten", refusal(forgetting));
    seen.put("page", refusal(() -> links.readAutoMeta((String) null)).get(0));
    JobsApi jobs = new JobsApi(client);
    JobChange tagged = new JobChange().addAddHashtagsItem("jobbed");
    JobFilter filter = new JobFilter().q("bulk");
    JobInput edit = new JobInput().kind(JobInput.KindEnum.EDIT).filter(filter).change(tagged);
    Job job = jobs.startJob(edit, null);
    seen.put("job", List.of(job.getState().getValue(), job.getChanged()));
    List<HashtagListHashtagsInner> hashtags = links.listHashtags().getHashtags();
    seen.put("hashtags", hashtags.stream().map(one -> List.of(one.getHashtag(), one.getLinks())).toList());
    AccountEvent event =
        new EventsApi(client)
            .listEvents(APIListEventsRequest.newBuilder().types("link.created").limit(1).build())
            .getEvents()
            .get(0);
    seen.put("events", List.of(event.getType().getValue(), event.getActor().getKind().getValue()));
    WebhooksApi webhooks = new WebhooksApi(client);
    CreateWebhookInput hook =
        new CreateWebhookInput().url("https://example.com/hook").addTypesItem(WebhookType.LINK_CREATED);
    NewWebhook made = webhooks.createWebhook(hook);
    Webhook stopped = webhooks.updateWebhook(made.getId(), new UpdateWebhookInput().enabled(false));
    NewWebhook renewed = webhooks.rotateWebhookSecret(made.getId());
    webhooks.replayWebhook(made.getId(), new ReplayInput().after(event.getId()));
    List<Object> webhooksSeen = new ArrayList<>(List.of(
        made.getSecret().substring(0, 6),
        webhooks.getWebhook(made.getId()).getUrl(),
        stopped.getEnabled(),
        renewed.getSecret().equals(made.getSecret()),
        webhooks.listDeliveries(made.getId()).getDeliveries().size()));
    webhooks.testWebhook(made.getId());
    webhooks.deleteWebhook(made.getId());
    webhooksSeen.add(webhooks.listWebhooks().getWebhooks().size());
    seen.put("webhooks", webhooksSeen);
    seen.put("rejected", text(jobs.listRefused(job.getId())).substring(0, 9));
    seen.put("over", refusal(() -> jobs.cancelJob(job.getId())));
    Job undo = jobs.undoJob(job.getId(), null);
    seen.put("undone", jobs.getJob(undo.getId()).getKind().getValue());
    Path file = Files.writeString(Files.createTempFile("links", ".csv"), "url\nhttps://example.com/\n");
    JobsApi importer = importerWith(System.getenv("API_KEY"));
    Job imported = importer.startImport(APIStartImportRequest.newBuilder().body(file.toFile()).build()).getJob();
    Files.delete(file);
    while (imported.getFinishedAt() == null) imported = jobs.getJob(imported.getId());
    seen.put("imported", List.of(imported.getKind().getValue(), imported.getCreated()));
    seen.put("jobs", jobs.listJobs().getJobs().size());
    links.deleteLink(bulkId);
    seen.put("refused", refusal(() -> links.getLink(bulkId)));
    seen.put("invalid", refusal(() -> links.listLinks(APIListLinksRequest.newBuilder().per(101).build())));

    CreateSessionInput signIn = new CreateSessionInput().token(System.getenv("SIGN_IN_TOKEN"));
    Session session = new SessionsApi(clientWith("none")).createSession(signIn);
    AccountApi account = new AccountApi(clientWith(session.getToken()));
    List<AccountKey> keys = account.listKeys().getKeys();
    seen.put("keys", keys.stream().map(key -> key.getScope().getValue()).toList());
    seen.put("rotated", account.rotateKey(KeyScope.PUBLIC_LINKS_ONLY, new RotateKeyInput()).getKey().substring(0, 8));
    account.revokeKey(KeyScope.PUBLIC_LINKS_ONLY);
    seen.put("left", account.listKeys().getKeys().size());
    CreateRestrictedKeyInput readOnly =
        new CreateRestrictedKeyInput().name("Reader").scope(KeyScope.FULL_ACCESS).addActionsItem(KeyAction.READ);
    NewRestrictedKey restricted = account.createRestrictedKey(readOnly);
    RestrictedKey reader = account.listRestrictedKeys().getKeys().get(0);
    account.deleteRestrictedKey(restricted.getId());
    seen.put("restricted", List.of(
        restricted.getKey().substring(0, 8),
        reader.getName(),
        reader.getActions().stream().map(KeyAction::getValue).toList(),
        account.listRestrictedKeys().getKeys().size()));
    SaveFilterInput sale = new SaveFilterInput().name("Sale").query(new SavedFilterQuery().hashtag("sale"));
    SavedFilter saved = account.saveFilter(sale);
    List<String> filters = account.listSavedFilters().getFilters().stream().map(SavedFilter::getName).toList();
    account.deleteSavedFilter(saved.getId());
    seen.put("filters", List.of(
        saved.getQuery().getHashtag(), filters, account.listSavedFilters().getFilters().size()));
    HostsApi hosts = new HostsApi(clientWith(System.getenv("API_KEY")));
    Host host = hosts.addHost(new AddHostInput().host("go.example.com"));
    Host rooted = hosts.updateHost(host.getId(), new UpdateHostInput().rootUrl("https://example.com/"));
    List<Object> hostsSeen = new ArrayList<>(List.of(
        host.getStatus().getValue(),
        rooted.getRootUrl(),
        hosts.listHosts().getHosts().size(),
        hosts.getHost(host.getId()).getHost(),
        hosts.verifyHost(host.getId()).getStatus().getValue()));
    hosts.deleteHost(host.getId());
    hostsSeen.add(refusal(() -> hosts.getHost(host.getId())).get(0));
    seen.put("hosts", hostsSeen);
    SessionsApi sessions = new SessionsApi(clientWith("none"));
    AddPasskeyInput newPasskey = new AddPasskeyInput().name("Generated").response(Map.of());
    PasskeySignInInput passkeySignIn = new PasskeySignInInput().response(Map.of());
    Call deletion = () -> {
      account.deletePasskey("unknown");
      return "deleted";
    };
    seen.put("passkeys", List.of(
        account.createPasskeyOptions().get("attestation"),
        account.listPasskeys().getPasskeys().size(),
        refusal(() -> account.addPasskey(newPasskey)).get(0),
        refusal(deletion).get(0),
        sessions.createSignInOptions().get("userVerification"),
        refusal(() -> sessions.createPasskeySession(passkeySignIn)).get(0)));
    SessionsApi own = new SessionsApi(clientWith(session.getToken()));
    SessionAccount first = account.listSessionAccounts().getAccounts().get(0);
    SwitchSessionInput other = new SwitchSessionInput().username("unknown");
    seen.put("accounts", List.of(
        first.getRole(), first.getCurrent(), refusal(() -> own.switchSession(other)).get(0)));
    own.deleteCurrentSession();
    System.out.println(new ObjectMapper().writeValueAsString(seen));
  }
}

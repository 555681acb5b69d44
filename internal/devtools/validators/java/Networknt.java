// networknt: schema, lines.
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.*;
import java.nio.file.*;

class Networknt {
    public static void main(String[] args) throws Exception {
        var config = SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();
        var schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(Path.of(args[0])), config);
        var mapper = new ObjectMapper();
        for (var line : Files.readAllLines(Path.of(args[1]))) {
            System.out.println(schema.validate(mapper.readTree(line)).isEmpty());
        }
    }
}
